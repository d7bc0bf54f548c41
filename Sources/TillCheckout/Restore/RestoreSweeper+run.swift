public import TillCore
public import TillJournal

extension RestoreSweeper {
    /// The pause between two tries while a provider is unavailable or an operator's decision is pending.
    public static let pause = Span.seconds(2)

    /// Runs the sweep until none is due, or until the task is canceled.
    /// - Parameter report: Receives each standing that differs from the one before.
    public func run(_ report: @Sendable (Standing) -> Void) async throws(JournalError) {
        var last: Standing?
        while !Task.isCancelled {
            let standing = try await step()
            if standing != last { report(standing) }
            last = standing
            switch standing {
            case .notDue: return
            case .listing: continue
            case .notRestored, .failing, .waiting, .needsPerson:
                do { try await clock.sleep(for: RestoreSweeper.pause) } catch { return }
            }
        }
    }
}

extension RestoreSweeper.Standing: CustomStringConvertible {
    /// A human-readable sentence.
    public var description: String {
        switch self {
        case .notDue: "Nothing is missing any more: the counter sells."
        case .notRestored(let sweep): "\(sweep) \(sweep.next)"
        case .listing(let sweep):
            "Asking what was sold: "
                + sweep.providers.map { "\($0.provider) \($0.listed) listed, \($0.incidents) not known" }
                .joined(separator: "; ") + "."
        case .failing(_, let reasons):
            "A provider cannot be asked now, and nothing is sold: " + reasons.joined(separator: "; ")
                + ". It is asked again, until a person says that nothing of it is missing: till restore --accept."
        case .waiting(let sweep, let until):
            "Everything that is listed was read. \(sweep.waitsFor.joined(separator: ", ")) may still show more; it is "
                + "asked again at \(until), unless a person says before that nothing is missing: till restore --accept."
        case .needsPerson(let sweep, let unattributed):
            RestoreSweeper.Standing.sentence(sweep, unattributed)
        }
    }

    private static func sentence(_ sweep: RestoreSweep, _ unattributed: Int) -> String {
        var parts: [String] = []
        let names = sweep.providers.filter { $0.state == .unprovable }.map(\.provider.rawValue)
        if !names.isEmpty {
            parts.append(
                "\(names.joined(separator: ", ")) cannot be asked for a list. A person compares what was sold and "
                    + "confirms it: till restore --accept \(names[0]) --actor <name> --evidence <text>.")
        }
        if unattributed > 0 {
            parts.append(
                "\(unattributed) charges do not name their order. A person must find it: till journal incidents.")
        }
        return parts.joined(separator: " ")
    }
}
