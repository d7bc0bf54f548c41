import HTTPTypes
import Testing
import TillCore
@testable import TillCounter
import TillJournal
import TillTestSupport

@testable import TillServer
@testable import TillWeb

@Suite("Sessions of the page")
struct PageSessionTests {
    private func begin(_ place: SessionPlace, _ account: AccountID = .main) async throws -> String {
        try #require(try await place.sessions().begin(code: try await place.codes.make(for: account)))
    }

    @Test("A session outlives the process", arguments: SessionPlace.Kind.allCases)
    func restart(_ kind: SessionPlace.Kind) async throws {
        let place = try SessionPlace(kind)
        let token = try await begin(place)
        #expect(try await place.sessions().takes(token))
        #expect(try await !place.sessions().takes(String(token.dropLast()) + "x"))
        #expect(try await !place.sessions().takes(""))
        try await place.close()
    }

    @Test("The drawer of its device stays when somebody signs in, and other processes know it")
    func drawer() async throws {
        let place = try SessionPlace()
        let bar = DrawerName(rawValue: "bar")
        let (sessions, hash) = (place.sessions(), digest(try await begin(place).utf8))
        let session = try #require(try await sessions.open(hash))
        #expect(session.drawer == nil)
        #expect(try await sessions.choose(bar, at: hash))
        #expect(try await sessions.open(hash)?.drawer == bar)
        #expect(try await place.sessions().open(hash)?.drawer == bar)
        let person = SessionPerson(id: StaffID(rawValue: "stf_1"), generation: 1)
        let handed = try await sessions.hand(session, to: person, noting: [])
        #expect(handed?.session.drawer == bar)
        #expect(try await !sessions.choose(.main, at: hash))
    }

    @Test("It ends after twelve hours without a request; each request counts")
    func idle() async throws {
        let place = try SessionPlace()
        let (used, unused) = (try await begin(place), try await begin(place))
        place.pass(.hours(7))
        #expect(try await place.sessions().takes(used))
        place.pass(.hours(5))
        #expect(try await place.sessions().takes(used))
        #expect(try await !place.sessions().takes(unused))
        #expect(try await Records<PageSessionRecord>(place.store).count() == 1)
    }

    @Test("What a page asks by itself is no use of it, nor what no page asks")
    func alone() async throws {
        let place = try SessionPlace()
        let token = try await begin(place)
        let sessions = place.sessions()
        let page = HTTPField.Name.literal("X-Till-Page")
        let asked: [HTTPFields] = [
            [page: "1", HTTPField.Name.literal("X-Till-Alone"): "1"], [page: "1", .accept: "text/event-stream"], [:],
        ]
        for headers in asked {
            place.pass(.minutes(239))
            let request = try await SessionPlace.request(token, sessions, headers: headers)
            #expect(try await sessions.session(of: request) != nil)
        }
        place.pass(.minutes(3))
        #expect(try await !sessions.takes(token))
    }

    @Test("It ends after seven days, however much it is used, also in memory")
    func absolute() async throws {
        let place = try SessionPlace()
        let sessions = place.sessions()
        let token = try await begin(place)
        for _ in 0..<27 {
            place.pass(.hours(6))
            #expect(try await sessions.takes(token))
        }
        place.pass(.milliseconds(Span.hours(6).milliseconds - 1))
        #expect(try await sessions.takes(token))
        place.pass(.milliseconds(1))
        #expect(try await !sessions.takes(token))
    }

    @Test("A time that was set back lengthens no session, in this process and in the next")
    func setBack() async throws {
        let place = try SessionPlace()
        let (token, other) = (try await begin(place), try await begin(place))
        let sessions = place.sessions()
        #expect(try await sessions.takes(token))
        place.wall.advance(by: .days(-10))
        place.running.advance(by: .hours(12))
        #expect(try await !place.sessionsAfterStart.takes(other))
        #expect(try await !sessions.takes(token))
    }

    @Test("Its last request is written once a minute, not with each request")
    func seenOnceAMinute() async throws {
        let place = try SessionPlace()
        let token = try await begin(place)
        let sessions = place.sessions()
        func version() async throws -> Int? {
            try await place.store.records(RecordQuery(PageSessionRecord.collection)).first?.version
        }
        for _ in 0..<59 {
            place.pass(.seconds(1))
            #expect(try await sessions.takes(token))
        }
        #expect(try await version() == 1)
        for _ in 0..<60 {
            place.pass(.seconds(1))
            #expect(try await sessions.takes(token))
        }
        #expect(try await version() == 2)
    }

    @Test("An account has a limit; the session that gives way is its own, the one used least lately")
    func limitOfAnAccount() async throws {
        let place = try SessionPlace()
        let other = try await begin(place, AccountID(rawValue: "other"))
        var tokens: [String] = []
        for _ in 0..<PageSessions.maximumPerAccount {
            tokens.append(try await begin(place))
            place.pass(.minutes(1))
        }
        // The first one is used again, so that the second one is the oldest.
        #expect(try await place.sessions().takes(tokens[0]))
        tokens.append(try await begin(place))
        var gone: [Int] = []
        for (number, token) in tokens.enumerated() where try await !place.sessions().takes(token) {
            gone.append(number)
        }
        #expect(gone == [1])
        #expect(try await place.sessions().takes(other))
    }

    @Test("A key has a share of its own, and takes no place of the page's devices")
    func limitOfAKey() async throws {
        let place = try SessionPlace()
        let sessions = place.sessions()
        let clerk = try await begin(place)
        let other = try await sessions.begin(for: .main, key: digest("other".utf8))
        place.pass(.minutes(1))
        var tokens: [String] = []
        for _ in 0..<2 * PageSessions.maximumOfKeys {
            tokens.append(try await sessions.begin(for: .main, key: digest("key".utf8)))
        }
        for token in [clerk, other] { #expect(try await sessions.takes(token)) }
        var open = 0
        for token in tokens where try await sessions.takes(token) { open += 1 }
        #expect(open == PageSessions.maximumPerHolder)
        for number in 0..<2 * PageSessions.maximumOfKeys {
            _ = try await sessions.begin(for: .main, key: digest("key \(number)".utf8))
        }
        #expect(try await sessions.takes(clerk))
        #expect(try await Records<PageSessionRecord>(place.store).count() == PageSessions.maximumOfKeys + 1)
    }

    @Test("Memory has a limit; what is not in it is read again")
    func cache() async throws {
        let place = try SessionPlace()
        let sessions = place.sessions()
        var tokens: [String] = []
        for number in 0...(PageSessions.maximumCached / PageSessions.maximumPerAccount) {
            for _ in 0..<PageSessions.maximumPerAccount {
                tokens.append(try await begin(place, AccountID(rawValue: "a\(number)")))
                place.running.advance(by: .milliseconds(1))
            }
        }
        for token in tokens { #expect(try await sessions.takes(token)) }
        #expect(sessions.cached == PageSessions.maximumCached)
    }

    @Test("Signing out ends it and its streams at once, and in other processes within a second")
    func signOut() async throws {
        let place = try SessionPlace()
        let feed = EventFeed()
        let (here, there) = (place.sessions(feed: feed), place.sessions())
        let (mine, others) = (try await begin(place), try await begin(place))
        #expect(try await here.takes(mine))
        #expect(try await there.takes(mine))
        let stream = try #require(feed.listen(.main, credential: .session(hash: digest(mine.utf8)), atMost: 8))
        _ = try #require(feed.listen(.main, credential: .session(hash: digest(others.utf8)), atMost: 8))
        _ = try #require(feed.listen(.main, atMost: 8))
        try await here.end(of: SessionPlace.request(mine, here))
        for await _ in stream.signals { Issue.record("nothing was sent") }
        #expect(feed.count == 2)
        #expect(try await !here.takes(mine))
        place.pass(PageSessionRecord.cacheLifetime)
        #expect(try await !there.takes(mine))
        #expect(try await here.takes(others))
    }

    @Test("With a key end the sessions that were begun with it, and no others")
    func endOfAKey() async throws {
        let place = try SessionPlace()
        let sessions = place.sessions()
        let (key, other) = (digest("key".utf8), digest("other".utf8))
        let first = try await sessions.begin(for: .main, key: key)
        let second = try await sessions.begin(for: .main, key: key)
        let third = try await sessions.begin(for: .main, key: other)
        let fourth = try await begin(place)
        #expect(try await sessions.takes(first))
        try await sessions.end(whereKey: key)
        for token in [first, second] { #expect(try await !sessions.takes(token)) }
        for token in [third, fourth] { #expect(try await sessions.takes(token)) }
    }

    @Test("A request with two sessions, as another page of the host can make one, ends both and uses neither")
    func tossed() async throws {
        let place = try SessionPlace()
        let sessions = place.sessions()
        let (clerk, stranger) = (try await begin(place), try await begin(place, AccountID(rawValue: "other")))
        let name = try await sessions.cookie(for: SessionPlace.request(clerk, sessions)).name
        let twice = try await SessionPlace.request("\(clerk); \(name)=\(clerk); \(name)=nothing", sessions)
        #expect(try await sessions.session(of: twice)?.account == .main)
        let both = try await SessionPlace.request("\(stranger); \(name)=\(clerk)", sessions)
        #expect(try await sessions.session(of: both) == nil)
        #expect(try await !sessions.takes(clerk))
        #expect(try await !sessions.takes(stranger))
        #expect(try await Records<PageSessionRecord>(place.store).count() == 0)
        #expect(try await sessions.takes(begin(place)))
    }

    @Test("The cookie's name says how it may travel and which counter it is for")
    func cookies() async throws {
        let (place, neighbour) = (try SessionPlace(), try SessionPlace())
        let sessions = place.sessions()
        let (plain, secure) = (SessionPlace.request(), SessionPlace.request(scheme: "https"))
        let name = try await sessions.cookie(for: plain).name
        #expect(name.wholeMatch(of: /till_session_[0-9a-f]{8}/) != nil)
        #expect(try await place.sessions().cookie(for: plain).name == name)
        #expect(try await neighbour.sessions().cookie(for: plain).name != name)
        let overTLS = try await sessions.cookie(for: secure)
        #expect(
            overTLS.holding("t") == "__Host-till_session=t; Path=/; HttpOnly; SameSite=Strict; Secure")
        #expect(try await sessions.cookie(for: plain).holding("t") == "\(name)=t; Path=/; HttpOnly; SameSite=Strict")
        // Nobody's header says how a request came.
        let told = SessionPlace.request(headers: [HTTPField.Name.literal("X-Forwarded-Proto"): "https"])
        #expect(try await sessions.cookie(for: told).name == name)
        // A cookie that any page of this host could have set is none over TLS.
        let token = try await begin(place)
        let mixed = SessionPlace.request(scheme: "https", headers: [.cookie: "\(name)=\(token)"])
        #expect(try await sessions.session(of: mixed) == nil)
        let right = SessionPlace.request(scheme: "https", headers: [.cookie: "__Host-till_session=\(token)"])
        #expect(try await sessions.session(of: right) != nil)
    }
}
