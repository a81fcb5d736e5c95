package ask

import (
	"errors"
	"reflect"
	"strings"
	"sync"

	"github.com/go-playground/validator/v10"
)

// shape is the validator of the tags on [Question] and [Option]. It is made
// once because it caches what it learns about the types, and it is not changed
// afterwards.
var shape = sync.OnceValue(func() *validator.Validate {
	v := validator.New()
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	})
	notBlank := func(f validator.FieldLevel) bool { return !IsBlank(f.Field().String()) }
	if err := v.RegisterValidation("notblank", notBlank); err != nil {
		panic(err) // only for an empty name or a nil function
	}
	return v
})

// brokenTags returns the paths of a question's fields, its options' included,
// that break their tag.
func brokenTags(q *Question, at place) map[string]bool {
	var failed validator.ValidationErrors
	if !errors.As(shape().Struct(q), &failed) {
		return nil
	}
	broken := make(map[string]bool, len(failed))
	for _, f := range failed {
		broken[at.path(strings.TrimPrefix(f.Namespace(), "Question."))] = true
	}
	return broken
}
