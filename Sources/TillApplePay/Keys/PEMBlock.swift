/// One block of a PEM file (RFC 7468), parsed as leniently as OpenSSL does: text around blocks, any line length, and
/// blocks of other kinds are skipped.
enum PEMBlock {
    /// Maximum file size: certificates and keys have a few thousand bytes.
    static let maximumBytes = 262_144

    /// Returns the content of the first block with this label; `nil` if there is none.
    static func first(in file: [UInt8], named label: String) -> [UInt8]? {
        all(in: file).first { $0.label == label }?.content
    }

    /// Returns the blocks of a file in order; those that are not base64 are omitted.
    static func all(in file: [UInt8]) -> [(label: String, content: [UInt8])] {
        guard file.count <= maximumBytes else { return [] }
        var blocks: [(label: String, content: [UInt8])] = []
        var label: String?
        var text = ""
        for line in file.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            var line = String(decoding: line, as: UTF8.self)[...]
            while line.first == " " || line.first == "\t" { line = line.dropFirst() }
            while line.last == " " || line.last == "\t" { line = line.dropLast() }
            if line.hasPrefix("-----BEGIN "), line.hasSuffix("-----") {
                label = String(line.dropFirst(11).dropLast(5))
                text = ""
            } else if line.hasPrefix("-----END "), line.hasSuffix("-----") {
                if let label, label == line.dropFirst(9).dropLast(5), let content = StrictBase64.decode(text) {
                    blocks.append((label, content))
                }
                label = nil
            } else if label != nil, !line.contains(":") {
                text += line
            }
        }
        return blocks
    }
}
