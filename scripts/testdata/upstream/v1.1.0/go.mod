module example.invalid/Fake/queue

go 1.21
