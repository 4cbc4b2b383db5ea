package main

import (
	"fmt"
	"reflect"
	"runtime/debug"

	"github.com/IBM/sarama"
)

const saramaPath = "github.com/IBM/sarama"

// builtWith names the Sarama in this binary, from what the Go tool wrote into it.
func builtWith() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return saramaPath
	}
	for _, dep := range info.Deps {
		if dep.Path == saramaPath {
			return saramaPath + " " + dep.Version
		}
	}
	return saramaPath
}

// fanoutOf describes Config.Metadata.Fanout, by reflection because this program must compile where there is none.
// Empty: this Sarama has none.
func fanoutOf(config *sarama.Config) string {
	fanout := reflect.ValueOf(config.Metadata).FieldByName("Fanout")
	if !fanout.IsValid() || fanout.Kind() != reflect.Struct {
		return ""
	}
	text := ""
	for i := range fanout.NumField() {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %v", fanout.Type().Field(i).Name, fanout.Field(i).Interface())
	}
	return text
}
