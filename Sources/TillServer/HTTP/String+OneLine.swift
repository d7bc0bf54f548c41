extension String {
    /// Whether it has no control characters, line breaks among them: as names have to be, and what a reader shows.
    var isOneLine: Bool { !unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
