extension String {
    /// `true` if the text has no control characters, including line breaks: required of names and of text on a reader.
    package var isOneLine: Bool { !unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
