package ask

import "fmt"

// BlockType is the kind of a content block.
type BlockType string

// The kinds of content blocks.
const (
	TextBlock  BlockType = "text"
	ImageBlock BlockType = "image"
)

// Block is one block of a tool result or message for the agent: text, or an
// image as plain base64.
type Block struct {
	Type     BlockType `json:"type"`
	Text     string    `json:"text"`     // of a text block
	MimeType string    `json:"mimeType"` // of an image block
	Data     string    `json:"data"`     // of an image block
}

// MarshalJSON encodes the fields of the block's type only.
func (b Block) MarshalJSON() ([]byte, error) {
	if b.Type == ImageBlock {
		return Marshal(struct {
			Type     BlockType `json:"type"`
			MimeType string    `json:"mimeType"`
			Data     string    `json:"data"`
		}{b.Type, b.MimeType, b.Data})
	}
	return Marshal(struct {
		Type BlockType `json:"type"`
		Text string    `json:"text"`
	}{b.Type, b.Text})
}

// ImageBlocks are the images of a result as content blocks, each behind a line
// that says where it belongs. A cancelled or invalid result has none; an image
// that appears in several places is sent once.
func (r Result) ImageBlocks() []Block {
	s := imageSender{blocks: []Block{}, sent: make(map[string]bool)}
	if r.Cancelled || r.Error != nil {
		return s.blocks
	}
	for _, q := range r.Questions {
		a := r.Answers[q.ID]
		s.send(a.CustomImages, q.ID, q.Prompt, "custom answer")
		s.send(a.NoteImages, q.ID, q.Prompt, "question note")
		for _, n := range a.selectedNotes() {
			s.send(n.images, q.ID, q.Prompt, "option note for "+n.label)
		}
	}
	if r.Elaboration == nil {
		return s.blocks
	}
	for _, item := range r.Elaboration.Items {
		place := "question note"
		if item.Option != nil {
			place = "option note for " + item.Option.Label
		}
		s.send(item.Images, item.Question.ID, item.Question.Prompt, place)
	}
	return s.blocks
}

type imageSender struct {
	blocks []Block
	sent   map[string]bool
}

func (s *imageSender) send(images []Image, id, prompt, place string) {
	for _, image := range images {
		if image.ID != "" && s.sent[image.ID] {
			continue
		}
		s.sent[image.ID] = true
		s.blocks = append(s.blocks,
			Block{Type: TextBlock, Text: fmt.Sprintf("Image for [%s] %s — %s:", id, prompt, place)},
			Block{Type: ImageBlock, MimeType: image.MimeType, Data: image.Data})
	}
}
