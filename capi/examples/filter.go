// Reads URLs from standard input and prints each with its verdict in front, as `robomaton query` does:
//
//	filter IMAGE AGENT [USAGE] <urls.txt
//
// Build it with
//
//	go build -o filter filter.go
package main

// #cgo pkg-config: robomaton
// #include <robomaton.h>
// #include <stdlib.h>
import "C"

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"
)

// An Image is an open image with one crawler and one usage. Goroutines share it, until it is closed.
type Image struct {
	image   *C.RobomatonImage
	crawler *C.RobomatonCrawler
	usage   *C.RobomatonUsage
}

func failure(code C.RobomatonCode, failed *C.RobomatonError) error {
	if code == C.ROBOMATON_CODE_OK {
		return nil
	}
	return errors.New(C.GoString(&failed.message[0]))
}

// Open opens an image and resolves the crawler and the usage, once.
func Open(path, agent, usage string) (*Image, error) {
	var failed C.RobomatonError
	file, name, use := C.CString(path), C.CString(agent), C.CString(usage)
	defer C.free(unsafe.Pointer(file))
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(use))

	opened := new(Image)
	code := C.robomaton_image_open(file, nil, &opened.image, &failed)
	if code == C.ROBOMATON_CODE_OK {
		names := C.RobomatonString{data: name, length: C.size_t(len(agent))}
		code = C.robomaton_crawler_new(opened.image, &names, 1, 0, &opened.crawler, &failed)
	}
	if code == C.ROBOMATON_CODE_OK {
		code = C.robomaton_usage_new(opened.image, use, C.size_t(len(usage)), nil, 0, &opened.usage, &failed)
	}
	if err := failure(code, &failed); err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}

// Close ends all handles.
func (image *Image) Close() {
	C.robomaton_usage_free(&image.usage)
	C.robomaton_crawler_free(&image.crawler)
	C.robomaton_image_close(&image.image)
}

// Decide answers for one URL, which C reads in place.
func (image *Image) Decide(url []byte) (string, error) {
	var verdict C.RobomatonVerdict
	var failed C.RobomatonError
	code := image.ask(url, &verdict, &failed)
	if code == C.ROBOMATON_CODE_INVALID_UTF8 {
		code = image.ask(encoded(url), &verdict, &failed)
	}
	if err := failure(code, &failed); err != nil {
		return "", err
	}
	return C.GoString(C.robomaton_decision_name(C.uint8_t(verdict.verdict))), nil
}

func (image *Image) ask(url []byte, verdict *C.RobomatonVerdict, failed *C.RobomatonError) C.RobomatonCode {
	var text *C.char
	if len(url) > 0 {
		text = (*C.char)(unsafe.Pointer(&url[0]))
	}
	return C.robomaton_decide(image.image, image.crawler, image.usage, text, C.size_t(len(url)), verdict, failed)
}

// A URL whose bytes beyond ASCII are percent-encoded, which is the same URL.
func encoded(url []byte) []byte {
	var text []byte
	for _, each := range url {
		if each < 0x80 {
			text = append(text, each)
		} else {
			text = append(text, fmt.Sprintf("%%%02X", each)...)
		}
	}
	return text
}

func filter(arguments []string) error {
	if len(arguments) < 2 || len(arguments) > 3 {
		return errors.New("usage: filter IMAGE AGENT [USAGE] <URLS")
	}
	usage := "crawl"
	if len(arguments) == 3 {
		usage = arguments[2]
	}
	image, err := Open(arguments[0], arguments[1], usage)
	if err != nil {
		return err
	}
	defer image.Close()
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		line, end := in.ReadBytes('\n')
		if end != nil && end != io.EOF {
			return end
		}
		if len(line) == 0 {
			return out.Flush()
		}
		// The white space that the command cuts off.
		url := bytes.Trim(line, " \t\n\f\r")
		if len(url) == 0 {
			continue
		}
		verdict, err := image.Decide(url)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\t%s\n", verdict, url)
	}
}

func main() {
	if err := filter(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "filter:", err)
		os.Exit(2)
	}
}
