import HTTPTypes
import Hummingbird
import NIOCore
import TillCore
@testable import TillCounter
import TillJournal
import TillJournalSQLite
import TillTestSupport

@testable import TillServer
@testable import TillWeb

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A machine with a journal, a clock that can be set and one that cannot.
final class SessionPlace: Sendable {
    enum Kind: Sendable, CaseIterable { case sqlite, memory }

    let wall = ManualClock()
    let running = ManualClock(Timestamp(milliseconds: 5_000_000))
    let clock: WitnessedClock
    let store: any Journal & RecordStore
    private let folder = FileManager.default.temporaryDirectory.path + "/till-sessions-\(UUID().uuidString)"

    init(_ kind: Kind = .memory) throws {
        clock = SessionPlace.clock(wall, running)
        switch kind {
        case .sqlite: store = try SQLiteJournal.open(at: folder + "/journal.sqlite", clock: clock)
        case .memory: store = MemoryJournal(storage: MemoryJournal.Storage(), clock: clock)
        }
    }

    func close() async throws {
        try await (store as? SQLiteJournal)?.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Time goes by, on both clocks.
    func pass(_ span: Span) {
        wall.advance(by: span)
        running.advance(by: span)
    }

    private static func clock(_ wall: ManualClock, _ running: ManualClock) -> WitnessedClock {
        let clock = WitnessedClock(wall, monotonic: { Span(milliseconds: running.now().milliseconds) })
        clock.compare(floor: nil, proved: nil, hasWitnesses: false)
        return clock
    }

    private func measuring(_ clock: WitnessedClock) -> MeasuringClock {
        let running = running
        return MeasuringClock(clock, reading: { Span(milliseconds: running.now().milliseconds) })
    }

    var measuring: MeasuringClock { measuring(clock) }

    /// What a process has that begins now, with a clock that has seen nothing of what was set before.
    var sessionsAfterStart: PageSessions {
        PageSessions(store, limits: SessionLimits(), clock: measuring(SessionPlace.clock(wall, running)))
    }

    /// What a second server of the same process has.
    func sessions(feed: EventFeed? = nil) -> PageSessions {
        PageSessions(store, limits: SessionLimits(), clock: measuring, feed: feed)
    }

    var codes: StartCodes { StartCodes(store, clock: measuring) }

    /// A request with the cookie of a session.
    static func request(
        _ token: String, _ sessions: PageSessions, headers: HTTPFields = [:]
    ) async throws -> Request {
        let name = try await sessions.cookie(for: SessionPlace.request()).name
        var headers = headers
        headers[.cookie] = "other=1; \(name)=\(token)"
        return SessionPlace.request(headers: headers)
    }

    static func request(scheme: String = "http", headers: HTTPFields = [:]) -> Request {
        Request(
            head: HTTPRequest(
                method: .get, scheme: scheme, authority: "127.0.0.1:8080", path: "/", headerFields: headers),
            body: RequestBody(buffer: ByteBuffer()))
    }
}

extension PageSessions {
    /// Whether a token lets somebody in; asking counts as use, as by somebody at the page.
    func takes(_ token: String) async throws -> Bool {
        let headers: HTTPFields = [HTTPField.Name.literal("X-Till-Page"): "1"]
        return try await session(of: SessionPlace.request(token, self, headers: headers)) != nil
    }
}
