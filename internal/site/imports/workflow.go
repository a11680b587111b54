package imports

import "errors"

func (r *Result) workflows(Options) error { return errors.New("not yet") }
