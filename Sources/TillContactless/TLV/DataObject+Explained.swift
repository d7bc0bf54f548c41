/// One line of an explanation.
public struct ExplainedLine: Hashable, Sendable {
    /// Nesting depth in templates, 0 at the top.
    public let depth: Int
    public let tag: Tag
    /// The standard's name, or `nil` if the tag is not in the dictionary.
    public let name: String?
    /// The displayable value: hexadecimal, with card numbers, tracks and names masked. `nil` for a template.
    public let value: String?
    /// The value as text or digits where applicable, masked like ``value``.
    public let meaning: String?
    /// The meaning of the bits.
    public let bits: [String]
}

extension [DataObject] {
    /// Returns display lines for the objects, templates before their contents. No line contains sensitive data.
    public func explained(depth: Int = 0) -> [ExplainedLine] {
        flatMap { object -> [ExplainedLine] in
            [object.line(depth)] + object.children.explained(depth: depth + 1)
        }
    }
}

extension DataObject {
    fileprivate func line(_ depth: Int) -> ExplainedLine {
        let entry = TagDictionary.entry(of: tag)
        guard case .primitive(let bytes) = content else {
            return ExplainedLine(depth: depth, tag: tag, name: entry?.name, value: nil, meaning: nil, bits: [])
        }
        let shown = CardDataMask.shown(tag, bytes)
        return ExplainedLine(
            depth: depth, tag: tag, name: entry?.name, value: shown,
            meaning: meaning(bytes, entry), bits: BitMeaning.explain(tag, bytes))
    }

    private func meaning(_ bytes: [UInt8], _ entry: TagEntry?) -> String? {
        guard let entry, !entry.isSensitive else { return nil }
        switch entry.format {
        case .alphanumeric:
            return String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : 0x2E }, as: UTF8.self)
        case .list:
            guard let list = DataObjectList(ifValid: bytes) else { return "not a list of tags and lengths" }
            return list.entries.map { "\($0.tag):\($0.length)" }.joined(separator: " ")
        case .binary where tag == 0x4F || tag == 0x84 || tag == 0x9F06:
            return Scheme(aid: bytes).map(\.name)
        case .numeric, .compressedNumeric, .binary, .template:
            return nil
        }
    }
}
