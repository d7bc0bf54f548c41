import Testing
import TillCore

@testable import TillTapToPay

/// Every input in every state: where the reader is afterwards, or why it refuses.
///
/// A cell is the phase after it, `=` when nothing changes, `~` when only what stands beside the phase changes, or the
/// error that refuses. `+` after a phase: the session is to be ended.
@Suite struct LifecycleTableTests {
    static let now = Timestamp(milliseconds: 1_795_000_000_000)

    @Test func everyInputInEveryStateIsDecidedOnPurpose() {
        var wrong: [String] = []
        for (input, row) in Self.table {
            let cells = row.split(separator: " ").map(String.init)
            #expect(cells.count == Self.states.count, "\(input.name)")
            for ((name, life), expected) in zip(Self.states, cells) {
                let actual = Self.cell(life, input.input)
                if actual != expected { wrong.append("\(input.name) in \(name): \(actual), not \(expected)") }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
        #expect(Self.table.count * Self.states.count == 35 * 14)
    }

    /// After every cell: one call at most, and no session in the background.
    @Test func theInvariantsHoldAfterEveryCell() {
        for (_, life) in Self.states {
            for (input, _) in Self.table {
                var life = life
                for change in (try? life.decide(input.input, at: Self.now)) ?? [] { life.evolve(change) }
                #expect(!(life.scene == .background && life.phase.holdsSession), "\(input.name)")
                #expect(!life.phase.holdsSession || life.session != nil, "\(input.name)")
                if life.flight != nil, case .prepare? = life.pendingEffect { Issue.record("\(input.name): two calls") }
            }
        }
    }

    static func cell(_ before: ReaderLifecycle, _ input: ReaderInput) -> String {
        do {
            var life = before
            let changes = try before.decide(input, at: now)
            for change in changes { life.evolve(change) }
            if life == before { return "=" }
            let isDoomed = life.isDoomed && !before.isDoomed
            let phase = life.phase == before.phase ? "~" : life.phase.name
            return phase + (isDoomed ? "+" : "")
        } catch {
            switch error {
            case .reader(let error): return error.errorName
            case .read(let error): return error.errorName
            }
        }
    }

    // MARK: States

    static let facts = ReaderTokenFacts(until: now.adding(.hours(40)), issuer: "psp")

    static func life(_ changes: [ReaderChange]) -> ReaderLifecycle {
        var life = ReaderLifecycle()
        for change in [.token(.valid(facts)), .wants(.online)] + changes { life.evolve(change) }
        return life
    }

    static var tokenless: ReaderLifecycle {
        var life = ReaderLifecycle()
        life.evolve(.counted(7))
        return life
    }

    static func preparation(_ number: Int, isAutomatic: Bool = false) -> ReaderPhase {
        .preparing(Preparation(number: number, kind: .online, isAutomatic: isAutomatic), percent: 10)
    }

    static let session: [ReaderChange] = [.counted(7), .sessionBegan(number: 7, .online)]
    static let reading: [ReaderChange] = session + [.counted(8), .flightBegan(.read(number: 8))]

    static let states: [(String, ReaderLifecycle)] = [
        ("unsupported", ReaderLifecycle(unsupported: .modelNotSupported)),
        ("idle", life([.counted(7)])),
        ("no token", tokenless),
        ("unlinked", life([.counted(7), .phase(.unlinked)])),
        ("linking", life([.counted(7), .phase(.linking(isRelink: false)), .flightBegan(.link)])),
        ("preparing", life([.counted(7), .phase(preparation(7)), .flightBegan(.prepare(number: 7))])),
        ("again", life([.counted(7), .phase(preparation(7, isAutomatic: true)), .flightBegan(.prepare(number: 7))])),
        ("pausing", life([.counted(7), .failures(2), .phase(.pausing(until: now))])),
        ("ready", life(session + [.phase(.ready)])),
        ("reading", life(reading + [.phase(.reading(number: 8, .readyForTap))])),
        ("canceling", life(reading + [.phase(.reading(number: 8, .canceling))])),
        ("completed", life(reading + [.phase(.reading(number: 8, .completed))])),
        ("result", life(session + [.counted(8), .phase(.result(number: 8, .result))])),
        ("background", life([.counted(7), .scene(.background)])),
    ]

    // MARK: The table

    static let other = ReaderTokenFacts(until: now.adding(.hours(48)), issuer: "another")
    static let newer = ReaderTokenFacts(until: now.adding(.hours(48)), issuer: "psp")
    static let over = ReaderTokenFacts(until: now, issuer: "psp")

    struct Named {
        let name: String
        let input: ReaderInput
    }

    static func row(_ name: String, _ input: ReaderInput, _ cells: String) -> (Named, String) {
        (Named(name: name, input: input), cells)
    }

    static let table: [(input: Named, row: String)] = commands + news + scene
    static let commands: [(input: Named, row: String)] = [
        row(
            "link", .link(isRelink: false),
            "modelNotSupported linking linking linking = readerBusy readerBusy linking linking+ readerBusy "
                + "readerBusy readerBusy linking+ backgroundRequestNotAllowed"),
        row(
            "relink", .link(isRelink: true),
            "modelNotSupported linking linking linking = readerBusy readerBusy linking linking+ readerBusy "
                + "readerBusy readerBusy linking+ backgroundRequestNotAllowed"),
        row("account not linked", .accountKnown(isLinked: false), "= unlinked unlinked = = = = = = = = = = unlinked"),
        row("account linked", .accountKnown(isLinked: true), "= = = idle = = = = = = = = = ="),
        row(
            "prepare", .prepare(.online),
            "modelNotSupported preparing emptyReaderToken preparing readerBusy = preparing preparing = = = = "
                + "= backgroundRequestNotAllowed"),
        row(
            "prepare to store", .prepare(.storeAndForward),
            "modelNotSupported preparing preparing preparing readerBusy readerBusy readerBusy preparing "
                + "preparing+ readerBusy readerBusy readerBusy preparing+ backgroundRequestNotAllowed"),
        row("cancel prepare", .cancelPrepare, "= = = = = idle idle idle = = = = = ="),
        row(
            "read", .read(session: 7),
            "readerNotAvailable readerSessionExpired readerSessionExpired readerSessionExpired "
                + "readerSessionExpired readerSessionExpired readerSessionExpired readerSessionExpired reading "
                + "readerSessionBusy readerSessionBusy readerSessionBusy reading readFromBackgroundError"),
        row(
            "read, old session", .read(session: 3),
            "readerNotAvailable readerSessionExpired readerSessionExpired readerSessionExpired "
                + "readerSessionExpired readerSessionExpired readerSessionExpired readerSessionExpired "
                + "readerSessionExpired readerSessionExpired readerSessionExpired readerSessionExpired "
                + "readerSessionExpired readFromBackgroundError"),
        row("cancel read", .cancelRead(number: nil), "= = = = = = = = = reading = = = ="),
        row("cancel another read", .cancelRead(number: 5), "= = = = = = = = = = = = = ="),
        row("close", .close, "= ~ = idle idle idle idle idle idle+ idle+ idle+ idle+ idle+ ~"),
    ]
    static let news: [(input: Named, row: String)] = [
        row("linked", .linkEnded(nil), "= = = = preparing = = = = = = = = ="),
        row("not linked", .linkEnded(.accountLinkingCancelled), "= = = = unlinked = = = = = = = = ="),
        row("prepared", .prepared(number: 7), "= = = = = ready ready = = = = = = ="),
        row("old preparation", .prepared(number: 3), "= = = = = = = = = = = = = ="),
        row("network failed", .prepareFailed(number: 7, .networkError), "= = = = = idle pausing = = = = = = ="),
        row(
            "not linked at all", .prepareFailed(number: 7, .accountNotLinked),
            "= = = = = unlinked unlinked = = = = = = ="),
        row("token refused", .prepareFailed(number: 7, .tokenExpired), "= = = = = idle idle = = = = = = ="),
        row("blocked", .prepareFailed(number: 7, .merchantBlocked), "= = = = = idle idle = = = = = = ="),
        row("overdue", .prepareOverdue(number: 7), "= = = = = idle pausing = = = = = = ="),
        row("progress", .reported(.updateProgress(50)), "= = = = = preparing preparing = = = = = = ="),
        row("card", .reported(.cardDetected), "= = = = = = = = = reading = = = ="),
        row("not ready", .reported(.notReady), "= = = = = = = = preparing+ = = = preparing+ ="),
        row("read", .readEnded(number: 8, .result), "= = = = = = = = = result result result = ="),
        row(
            "read failed", .readEnded(number: 8, .error(.cardReadFailed)), "= = = = = = = = = result result result = ="),
        row(
            "session gone", .readEnded(number: 8, .error(.readerServiceError)),
            "= = = = = = = = = preparing+ preparing+ preparing+ = ="),
        row("abandoned", .readAbandoned(number: 8), "= = = = = = = = = = preparing+ = = ="),
    ]
    static let scene: [(input: Named, row: String)] = [
        row("background", .entersBackground, "~ ~ ~ ~ ~ idle idle idle idle+ idle+ idle+ idle+ idle+ ="),
        row("foreground", .entersForeground, "= preparing = = = = = = = = = = = preparing"),
        row("pause over", .pauseEnded, "= = = = = = = preparing = = = = = ="),
        row("newer token", .tokenReceived(newer), "~ preparing ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~ ~"),
        row(
            "other issuer", .tokenReceived(other),
            "~ preparing ~ ~ ~ preparing preparing ~ preparing+ ~+ ~+ ~+ preparing+ ~"),
        row(
            "token that is over", .tokenReceived(over),
            "tokenExpired tokenExpired tokenExpired tokenExpired tokenExpired tokenExpired tokenExpired "
                + "tokenExpired tokenExpired tokenExpired tokenExpired tokenExpired tokenExpired tokenExpired"),
        row("token over", .tokenEnded, "= ~ = ~ ~ idle idle idle idle+ ~ ~ ~ idle+ ~"),
    ]
}
