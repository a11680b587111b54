// Package widget sets the values of fields of any kind as a person would: text, selects, comboboxes,
// dates, times, sliders, toggles, transfer lists and cells of tables. It reaches the page by the input of
// package input alone, and by operations of the script that say what a field is.
package widget
