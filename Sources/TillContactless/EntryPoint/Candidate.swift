import TillCore

/// An application that card and terminal have in common.
public struct Candidate: Hashable, Sendable {
    /// The card's full identifier.
    public let aid: [UInt8]
    /// What the card calls it.
    public let label: String?
    /// 1 is first; 15 for none given.
    public let priority: UInt8
    /// Which kernel reads it.
    public let kernel: KernelID

    /// The candidates of a directory, best first; those that the terminal does not take are left
    /// out. At most ``mostCandidates``.
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

    /// The most entries of a directory that are examined.
    static let mostCandidates = 32

    init(aid: [UInt8], from objects: [DataObject]) {
        self.aid = aid
        label = objects.first(0x50).map { Candidate.printable($0.value) }
        let given = (objects.first(0x87)?.value.first ?? 0) & 0x0F
        priority = given == 0 ? 15 : given
        kernel = Candidate.kernel(objects.first(0x9F2A)?.value, aid)
    }

    /// A kernel identifier of the card's own overrides the default of the scheme, unless it says zero or is one
    /// for domestic use only.
    private static func kernel(_ identifier: [UInt8]?, _ aid: [UInt8]) -> KernelID {
        let defaultValue = Scheme(aid: aid)?.kernel ?? .visa
        guard let first = identifier?.first, first != 0, first & 0xC0 == 0 else { return defaultValue }
        return KernelID(rawValue: first & 0x3F)
    }

    static func printable(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix(32).filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }
}
