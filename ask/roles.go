package ask

// Role names a colour of the host's theme. The empty role is the terminal's own
// text colour.
type Role string

// The roles that forms, transcript rows and cards use.
const (
	RoleAccent          Role = "accent"
	RoleText            Role = "text"
	RoleSuccess         Role = "success"
	RoleMuted           Role = "muted"
	RoleDim             Role = "dim"
	RoleWarning         Role = "warning"
	RoleError           Role = "error"
	RoleToolTitle       Role = "toolTitle"
	RoleSyntaxString    Role = "syntaxString"
	RoleSelectedBg      Role = "selectedBg"      // a background
	RoleCustomMessageBg Role = "customMessageBg" // a background
)

// Span is a run of text in one style.
type Span struct {
	Role Role
	Bold bool
	Text string
}
