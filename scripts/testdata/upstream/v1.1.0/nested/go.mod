module example.invalid/Fake/queue/nested
