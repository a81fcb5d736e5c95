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

// shapeOf returns the fields of a question that break their tag, named by their
// path inside the question: "id", "options[2].value".
func shapeOf(q *Question) map[string]bool {
	var failed validator.ValidationErrors
	if !errors.As(shape().Struct(q), &failed) {
		return nil
	}
	bad := make(map[string]bool, len(failed))
	for _, f := range failed {
		bad[strings.TrimPrefix(f.Namespace(), "Question.")] = true
	}
	return bad
}
