import TillCore

/// An application supported by both card and terminal.
public struct Candidate: Hashable, Sendable {
    /// The card's full application identifier.
    public let aid: [UInt8]
    /// The application label.
    public let label: String?
    /// 1 is the highest priority; 15 if absent.
    public let priority: UInt8
    /// The kernel for this application.
    public let kernel: KernelID

    /// Returns the candidates of a directory, best first, without those that the terminal does not support. At most
    /// ``mostCandidates``.
    static func list(_ objects: [DataObject], _ profile: TerminalProfile) -> [Candidate] {
        let entries = objects.all(0x61).prefix(mostCandidates)
        let candidates = entries.compactMap { entry -> Candidate? in
            guard let aid = entry.children.first(0x4F)?.value, (5...16).contains(aid.count) else { return nil }
            let text = Hex.text(aid)
            guard profile.acceptedPrefixes.contains(where: { text.hasPrefix($0) }) else { return nil }
            return Candidate(aid: aid, from: entry.children)
        }
        return candidates.enumerated().sorted {
            ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
        }.map(\.element)
    }

    /// Maximum number of directory entries examined.
    static let mostCandidates = 32

    init(aid: [UInt8], from objects: [DataObject]) {
        self.aid = aid
        label = objects.first(0x50).map { Candidate.printable($0.value) }
        let given = (objects.first(0x87)?.value.first ?? 0) & 0x0F
        priority = given == 0 ? 15 : given
        kernel = Candidate.kernel(objects.first(0x9F2A)?.value, aid)
    }

    /// Returns the kernel: a kernel identifier from the card overrides the scheme's default, unless it is zero or
    /// reserved for domestic use.
    private static func kernel(_ identifier: [UInt8]?, _ aid: [UInt8]) -> KernelID {
        let defaultValue = Scheme(aid: aid)?.kernel ?? .visa
        guard let first = identifier?.first, first != 0, first & 0xC0 == 0 else { return defaultValue }
        return KernelID(rawValue: first & 0x3F)
    }

    static func printable(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(32).filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }
}
