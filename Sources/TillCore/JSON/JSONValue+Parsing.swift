extension JSONValue {
    /// Parses a document strictly according to RFC 8259.
    ///
    /// Refused beyond the grammar: duplicate keys, text that is not UTF-8, lone surrogates, anything after the
    /// document, and anything that exceeds the limits. A byte order mark at the start is skipped.
    /// - Parameter allowsTrailingCommas: Accepts one comma before `]` or `}`, which some shops' exports contain.
    /// - Throws: ``JSONError`` with the line and column of the first fault.
    public init(
        parsing bytes: some Collection<UInt8>, limits: JSONLimits = .standard, allowsTrailingCommas: Bool = false
    ) throws(JSONError) {
        guard bytes.count <= limits.maximumBytes else {
            throw JSONError(line: 0, column: 0, reason: "it is longer than \(limits.maximumBytes) bytes")
        }
        let read = { (buffer: UnsafeBufferPointer<UInt8>) -> Result<JSONValue, JSONError> in
            var reader = JSONReader(bytes: buffer, limits: limits, allowsTrailingCommas: allowsTrailingCommas)
            do throws(JSONError) { return .success(try reader.document()) } catch { return .failure(error) }
        }
        let result = bytes.withContiguousStorageIfAvailable(read) ?? Array(bytes).withUnsafeBufferPointer(read)
        self = try result.get()
    }

    /// Parses a document as ``init(parsing:limits:allowsTrailingCommas:)`` does; `nil` for any document that it
    /// rejects.
    public init?(ifValid bytes: some Collection<UInt8>, limits: JSONLimits = .standard) {
        do throws(JSONError) { try self.init(parsing: bytes, limits: limits) } catch { return nil }
    }
}
