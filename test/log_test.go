package test

import "fmt"

// Print, Printf and Println make logTap a sarama.StdLogger.
func (l *logTap) Print(v ...any)            { l.add(func() string { return fmt.Sprint(v...) }) }
func (l *logTap) Printf(f string, v ...any) { l.add(func() string { return fmt.Sprintf(f, v...) }) }
func (l *logTap) Println(v ...any)          { l.add(func() string { return fmt.Sprintln(v...) }) }
