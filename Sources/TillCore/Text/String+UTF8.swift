extension String {
    /// Decodes UTF-8; `nil` for bytes that are not.
    init?(ifUTF8 bytes: some Collection<UInt8>) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(comparingUTF8: bytes)
        }
    }

    /// Decodes UTF-8 as ``init(ifUTF8:)`` does, for systems without the library's own validation.
    ///
    /// Decoding replaces what is not UTF-8 by U+FFFD and keeps everything else, and a string's bytes are always UTF-8:
    /// the decoded bytes are those that came exactly if those were valid.
    init?(comparingUTF8 bytes: some Collection<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
