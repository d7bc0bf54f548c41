import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("Start codes")
struct StartCodeTests {
    @Test("A code begins one session, and neither it nor the token is kept", arguments: SessionPlace.Kind.allCases)
    func once(_ kind: SessionPlace.Kind) async throws {
        let place = try SessionPlace(kind)
        let sessions = place.sessions()
        let code = try await place.codes.make(for: AccountID(rawValue: "north"))
        #expect(code.utf8.count * 4 >= 128)
        let token = try #require(try await sessions.begin(code: code))
        let session = try await sessions.session(of: SessionPlace.request(token, sessions))
        #expect(session?.account == AccountID(rawValue: "north"))
        #expect(session?.key == nil)
        #expect(try await sessions.begin(code: code) == nil)
        #expect(try await sessions.begin(code: code.uppercased()) == nil)
        #expect(try await sessions.begin(code: "") == nil)
        for collection in [StartCodeRecord.collection, PageSessionRecord.collection] {
            for kept in try await place.store.records(RecordQuery(collection)) {
                let text = kept.id.key + String(decoding: kept.body, as: UTF8.self)
                #expect(!text.contains(code) && !text.contains(token))
            }
        }
        try await place.close()
    }

    @Test("Of many who spend a code at the same moment exactly one does", arguments: SessionPlace.Kind.allCases)
    func race(_ kind: SessionPlace.Kind) async throws {
        let place = try SessionPlace(kind)
        for _ in 0..<8 {
            let code = try await place.codes.make(for: .main)
            let processes = (0..<2).map { _ in place.sessions() }
            let won = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<16 {
                    group.addTask { try await processes[number % 2].begin(code: code) != nil }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(won == 1)
        }
        #expect(try await Records<PageSessionRecord>(place.store).count() == 8)
        try await place.close()
    }

    @Test("A code is good for ten minutes, whatever process made it")
    func expiry() async throws {
        let place = try SessionPlace()
        let (early, late) = (try await place.codes.make(for: .main), try await place.codes.make(for: .main))
        place.pass(.milliseconds(599_999))
        #expect(try await place.sessions().begin(code: early) != nil)
        place.pass(.milliseconds(1))
        #expect(try await place.sessions().begin(code: late) == nil)
        // The next one that is made takes away what is over.
        _ = try await place.codes.make(for: .main)
        #expect(try await Records<StartCodeRecord>(place.store).count() == 1)
    }

    @Test("A time that is set back makes no code younger, and one in doubt keeps nobody out")
    func wrongClock() async throws {
        let place = try SessionPlace()
        let old = try await place.codes.make(for: .main)
        place.pass(.minutes(9))
        place.wall.advance(by: .days(-3))
        #expect(place.clock.standing.doubt != nil)
        let young = try await place.codes.make(for: .main)
        place.running.advance(by: .minutes(1))
        #expect(try await place.sessions().begin(code: old) == nil)
        // It is somebody's machine, and he has just asked to be let in.
        place.wall.advance(by: .days(30))
        #expect(try await place.sessions().begin(code: young) != nil)
    }

    @Test("A code does not outlive the machine's start")
    func startedAnew() async throws {
        let place = try SessionPlace()
        let code = try await place.codes.make(for: .main)
        place.running.advance(by: .seconds(-1))
        #expect(try await place.sessions().begin(code: code) == nil)
    }

    @Test("Codes are bounded: the oldest gives way")
    func bounded() async throws {
        let place = try SessionPlace()
        var made: [String] = []
        for _ in 0...StartCodes.maximumKept { made.append(try await place.codes.make(for: .main)) }
        #expect(try await Records<StartCodeRecord>(place.store).count() == StartCodes.maximumKept)
        #expect(try await place.sessions().begin(code: try #require(made.first)) == nil)
        #expect(try await place.sessions().begin(code: try #require(made.last)) != nil)
    }
}
