import Testing
import TillCore
@testable import TillCounter
@testable import TillFeatureWebhooks
import TillJournal
import TillTestSupport

@Suite("Webhooks")
struct WebhookDeliveryTests {
    @Test("A sale is told in its order, signed, with sums in minor units, and nothing of a person")
    func sale() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let before = try await counter.create("before")
        let (endpoint, secret) = try await counter.endpoint()
        let id = try await counter.create("o-1")
        try await counter.pay(id)
        #expect(try await counter.service.step())
        let messages = world.receiver.messages
        #expect(messages.allSatisfy { $0.payment == id.rawValue && $0.payment != before.rawValue })
        #expect(messages.first?.type == "payment.created" && messages.last?.type == "payment.captured")
        for message in messages {
            #expect(
                message.signatures == [
                    secret.signature(id: message.id, timestamp: message.timestamp, body: Array(message.body.utf8))
                ])
            #expect(message.timestamp == world.clock.now().milliseconds / 1_000)
            #expect(message.id.hasPrefix("msg_") && !message.id.contains("."))
            #expect(message.body.utf8.count < WebhookLimits.bodyBytes)
        }
        let sequences = messages.compactMap { $0.json["data"]?["sequence"]?.int64Value }
        #expect(sequences == sequences.sorted() && Set(sequences).count == messages.count)
        let first = try #require(messages.first?.json["data"])
        #expect(first["status"]?.stringValue == "requires_payment_method" && first["captured"]?.int64Value == 0)
        let last = try #require(messages.last?.json["data"])
        #expect(last["order_id"]?.stringValue == "o-1" && last["status"]?.stringValue == "succeeded")
        #expect(last["amount"]?.int64Value == 1_250 && last["currency"]?.stringValue == "EUR")
        #expect(last["captured"]?.int64Value == 1_250 && last["refunded"]?.int64Value == 0)
        #expect(last["livemode"]?.boolValue == false)
        #expect(
            Set(last.objectValue?.map(\.key) ?? []) == [
                "payment_id", "order_id", "order_number", "status", "amount", "currency", "captured", "refunded",
                "event", "sequence", "version", "livemode",
            ])
        // Nothing is left, and nothing is told twice.
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.count == messages.count)
        let kept = try await counter.messages(endpoint.id)
        #expect(kept.count == messages.count && kept.allSatisfy { $0.state == .delivered && $0.status == 204 })
        #expect(try await counter.endpoints.pending(endpoint.id) == 0)
    }

    @Test("Only the types of the list, and only the account's own payments")
    func filter() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        _ = try await counter.endpoint(["payment.captured"])
        let id = try await counter.create("o-1")
        try await counter.pay(id)
        _ = try await counter.create("o-2", of: AccountID(rawValue: "other"))
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.map(\.type) == ["payment.captured"])
    }

    @Test("A later message of a payment waits for the earlier one; those of other payments do not")
    func order() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint(["payment.created", "payment.captured"])
        let (slow, fast) = (try await counter.create("o-1"), try await counter.create("o-2"))
        try await counter.pay(fast)
        world.receiver.answer { message in
            .success(WebhookAnswer(status: message.payment == slow.rawValue ? 500 : 200))
        }
        #expect(try await counter.service.step())
        func told(_ id: PaymentID) -> [String?] {
            world.receiver.messages.filter { $0.payment == id.rawValue }.map(\.type)
        }
        #expect(told(slow) == ["payment.created"] && told(fast) == ["payment.created", "payment.captured"])
        world.receiver.answer(status: 200)
        // Also not because something new comes in between.
        try await counter.pay(slow)
        #expect(try await counter.service.step())
        #expect(try await counter.endpoints.pending(endpoint.id) == 2)
        #expect(told(slow) == ["payment.created"])
        world.clock.advance(by: .seconds(5))
        #expect(try await counter.service.step())
        #expect(told(slow) == ["payment.created", "payment.created", "payment.captured"])
        let ids = world.receiver.messages.filter { $0.payment == slow.rawValue }.map(\.id)
        #expect(ids[0] == ids[1] && ids[1] != ids[2])
        let times = world.receiver.messages.filter { $0.payment == slow.rawValue }.map(\.timestamp)
        #expect(times[1] == times[0] + 5)
        #expect(try await counter.endpoints.pending(endpoint.id) == 0)
    }

    @Test("A message is tried ten times in three days; then the endpoint is disabled, and goes on with it once enabled")
    func schedule() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint(["payment.created", "payment.captured"])
        let id = try await counter.create("o-1")
        try await counter.pay(id)
        world.receiver.answer { _ in .failure(.noAnswer("connection refused")) }
        var waits: [Span] = []
        #expect(try await counter.service.step())
        while try await counter.state(endpoint.id).isEnabled, waits.count < 20 {
            let head = try #require(try await counter.messages(endpoint.id).last)
            let wait = try #require(head.nextAt).since(world.clock.now())
            // Not a moment sooner.
            world.clock.advance(by: Span(milliseconds: wait.milliseconds - 1))
            let count = world.receiver.messages.count
            #expect(try await counter.service.step())
            #expect(world.receiver.messages.count == count)
            world.clock.advance(by: .milliseconds(1))
            #expect(try await counter.service.step())
            #expect(world.receiver.messages.count == count + 1)
            waits.append(wait)
        }
        #expect(waits == Array(WebhookSchedule.waits.dropFirst()))
        #expect(Set(world.receiver.messages.map(\.id)).count == 1 && world.receiver.messages.count == 10)
        guard case .disabled(.failing, _) = try await counter.state(endpoint.id).state else {
            Issue.record("it is not disabled")
            return
        }
        let head = try #require(try await counter.messages(endpoint.id).last)
        #expect(head.state == .pending && head.attempts == 10 && head.note.contains("connection refused"))
        let noted = try await counter.journal.auditEntries(AuditQuery()).entries.map(\.note)
        let note = try #require(noted.last { $0.action == .webhookDisabled })
        #expect(note.subject == endpoint.id.rawValue && note.reason == "failing")
        // Enabled again it goes on with the same message.
        world.receiver.answer(status: 200)
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.count == 10)
        var change = WebhookEndpoints.Change()
        change.isEnabled = true
        #expect(try await counter.endpoints.change(endpoint.id, of: .main, change).isEnabled)
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.dropFirst(10).map(\.type) == ["payment.created", "payment.captured"])
    }

    @Test("The wait grows by a tenth at most, and never shrinks")
    func jitter() {
        for count in 1..<WebhookSchedule.waits.count {
            let planned = WebhookSchedule.waits[count].milliseconds
            for _ in 0..<50 {
                let wait = WebhookSchedule().wait(afterAttempts: count)?.milliseconds ?? 0
                #expect((planned...(planned + planned / 10)).contains(wait))
            }
        }
        #expect(WebhookSchedule().wait(afterAttempts: WebhookSchedule.waits.count) == nil)
    }

    @Test("410 disables the endpoint at once")
    func gone() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint()
        _ = try await counter.create("o-1")
        world.receiver.answer(status: 410)
        #expect(try await counter.service.step())
        guard case .disabled(.gone, _) = try await counter.state(endpoint.id).state else {
            Issue.record("it is not disabled")
            return
        }
        _ = try await counter.create("o-2")
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.count == 1)
    }

    @Test("A redirect is a failure, and any status but 2xx", arguments: [199, 300, 301, 302, 304, 307, 400, 404, 500])
    func failures(_ status: Int) async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint()
        _ = try await counter.create("o-1")
        world.receiver.answer(status: status)
        #expect(try await counter.service.step())
        let message = try #require(try await counter.messages(endpoint.id).first)
        #expect(message.state == .pending && message.status == status && message.note == "no")
        #expect(world.receiver.messages.count == 1)
    }

    @Test(
        "The endpoint is left alone for as long as it asks, up to a day",
        arguments: [
            (429, "120", Span.seconds(120)), (503, "60", .seconds(60)), (503, "2", .seconds(5)),
            (503, "9999999", .hours(24)), (429, "soon", .seconds(5)), (500, "120", .seconds(5)),
            (503, "-1", .seconds(5)),
        ])
    func retryAfter(_ status: Int, _ text: String, _ wait: Span) async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint()
        _ = try await counter.create("o-1")
        world.receiver.answer(status: status, retryAfter: text)
        #expect(try await counter.service.step())
        let message = try #require(try await counter.messages(endpoint.id).first)
        #expect(message.nextAt == world.clock.now().adding(wait))
    }

    @Test("Of two counters one sends; the other takes over when it has died, and nothing is lost or out of order")
    func takeOver() async throws {
        let world = try WebhookWorld()
        let (first, second) = (world.start(), world.start())
        _ = try await first.endpoint(["payment.created", "payment.captured"])
        #expect(try await first.service.step())
        let id = try await second.create("o-1")
        #expect(try await !second.service.step())
        #expect(world.receiver.messages.isEmpty)
        world.receiver.answer(status: 500)
        #expect(try await first.service.step())
        try await second.pay(id)
        // It dies behind the record of a failed attempt; what comes then is not even a message yet.
        first.journal.crash()
        world.receiver.answer(status: 200)
        world.clock.advance(by: .seconds(5))
        #expect(try await second.service.step())
        #expect(world.receiver.messages.map(\.type) == ["payment.created", "payment.created", "payment.captured"])
        #expect(world.receiver.messages[0].id == world.receiver.messages[1].id)
        // One that comes later sends nothing.
        #expect(try await !world.start().service.step())
    }

    @Test("A counter that dies before it sends, or before it records the answer, loses nothing")
    func crash() async throws {
        let world = try WebhookWorld()
        let first = world.start()
        let (endpoint, _) = try await first.endpoint()
        _ = try await first.create("o-1")
        // The program takes the message, and the counter does not live to hear of it.
        world.receiver.answer { [journal = first.journal] _ in
            journal.crash()
            return .success(WebhookAnswer(status: 200))
        }
        _ = try? await first.service.step()
        let second = world.start()
        let waiting = try await second.messages(endpoint.id)
        #expect(waiting.map(\.state) == [.pending] && waiting.map(\.attempts) == [0])
        world.receiver.answer(status: 200)
        #expect(try await second.service.step())
        #expect(world.receiver.messages.count == 2)
        #expect(world.receiver.messages[0].id == world.receiver.messages[1].id)
        #expect(try await second.messages(endpoint.id).map(\.state) == [.delivered])
    }

    @Test("After a rotation both secrets sign for a day, then the new one alone; more than three never")
    func rotation() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, old) = try await counter.endpoint(["payment.created"])
        let (_, new) = try await counter.endpoints.rotate(endpoint.id, of: .main)
        func expected(_ secrets: [WebhookSecret]) throws -> [String] {
            let message = try #require(world.receiver.messages.last)
            return secrets.map {
                $0.signature(id: message.id, timestamp: message.timestamp, body: Array(message.body.utf8))
            }
        }
        _ = try await counter.create("o-1")
        #expect(try await counter.service.step())
        #expect(try world.receiver.messages.last?.signatures == expected([new, old]))
        world.clock.advance(by: WebhookLimits.rotationGrace)
        _ = try await counter.create("o-2")
        #expect(try await counter.service.step())
        #expect(try world.receiver.messages.last?.signatures == expected([new]))
        _ = try await counter.endpoints.rotate(endpoint.id, of: .main)
        _ = try await counter.endpoints.rotate(endpoint.id, of: .main)
        await #expect(throws: WebhookError.tooManySecrets) {
            try await counter.endpoints.rotate(endpoint.id, of: .main)
        }
    }

    @Test("No secret is in the journal, and a counter without its pepper sends nothing and counts nothing")
    func sealing() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, secret) = try await counter.endpoint(["payment.created"])
        let stored = try #require(try await counter.journal.record(endpoint.record.id))
        let text = String(decoding: stored.body, as: UTF8.self)
        #expect(!text.contains(secret.text.reveal().dropFirst(6)))
        _ = try await counter.create("o-1")
        let other = world.start(pepper: "another")
        #expect(try await !other.service.step())
        #expect(world.receiver.messages.isEmpty)
        // The one that can sign need not wait for it.
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.count == 1)
    }

    @Test("When as many wait as may, the cursor waits, and goes on later")
    func full() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint(["payment.created"])
        var waiting: [RecordChange] = []
        for number in 0..<WebhookLimits.pendingPerEndpoint - 1 {
            waiting.append(
                .insert(
                    WebhookMessage(
                        id: WebhookMessageID(rawValue: "msg_\(number)"), endpoint: endpoint.id,
                        payment: PaymentID(rawValue: "pay_\(number)"), sequence: 0, type: "payment.created", body: "{}"
                    ).record))
            if waiting.count == RecordLimits.maximumChanges {
                try await counter.journal.change(waiting)
                waiting = []
            }
        }
        try await counter.journal.change(waiting)
        for number in 0..<3 { _ = try await counter.create("o-\(number)") }
        #expect(try await counter.service.step())
        // Only one had room, and it has been delivered; the next has room because of that.
        #expect(try await counter.service.step())
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.count == 3)
        #expect(try await counter.endpoints.pending(endpoint.id) == WebhookLimits.pendingPerEndpoint - 1)
    }

    @Test("A test message and a message once more are sent once, beside those that wait")
    func onDemand() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint(["payment.created"])
        _ = try await counter.create("o-1")
        world.receiver.answer(status: 500)
        let test = try await counter.endpoints.test(endpoint.id, of: .main)
        #expect(try await counter.service.step())
        #expect(Set(world.receiver.messages.map(\.type)) == ["till.test", "payment.created"])
        #expect(try await counter.messages(endpoint.id).first { $0.id == test.id }?.state == .failed)
        #expect(try await counter.state(endpoint.id).isEnabled)
        world.receiver.answer(status: 200)
        world.clock.advance(by: .seconds(5))
        #expect(try await counter.service.step())
        let sale = try #require(try await counter.messages(endpoint.id).first { $0.type == "payment.created" })
        #expect(sale.state == .delivered && sale.attempts == 2)
        let again = try await counter.endpoints.resend(sale.id, to: endpoint.id, of: .main)
        #expect(again.state == .pending)
        let count = world.receiver.messages.count
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.count == count + 1 && world.receiver.messages.last?.id == sale.id.rawValue)
        // One that waits is tried now.
        world.receiver.answer(status: 500)
        _ = try await counter.create("o-2")
        #expect(try await counter.service.step())
        let waiting = try #require(try await counter.messages(endpoint.id).first)
        world.receiver.answer(status: 200)
        _ = try await counter.endpoints.resend(waiting.id, to: endpoint.id, of: .main)
        #expect(try await counter.service.step())
        #expect(try await counter.messages(endpoint.id).first?.state == .delivered)
        await #expect(throws: WebhookError.unknownMessage) {
            try await counter.endpoints.resend(WebhookMessageID(rawValue: "msg_x"), to: endpoint.id, of: .main)
        }
    }

    @Test("A disabled endpoint is told nothing; enabled it catches up, or skips what it missed")
    func disabling() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint(["payment.created"])
        var change = WebhookEndpoints.Change()
        change.isEnabled = false
        #expect(try await !counter.endpoints.change(endpoint.id, of: .main, change).isEnabled)
        _ = try await counter.create("o-1")
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.isEmpty)
        await #expect(throws: WebhookError.disabled) { try await counter.endpoints.test(endpoint.id, of: .main) }
        change.isEnabled = true
        _ = try await counter.endpoints.change(endpoint.id, of: .main, change)
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.count == 1)
        change.isEnabled = false
        _ = try await counter.endpoints.change(endpoint.id, of: .main, change)
        _ = try await counter.create("o-2")
        (change.isEnabled, change.skipsMissed) = (true, true)
        _ = try await counter.endpoints.change(endpoint.id, of: .main, change)
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.count == 1)
    }

    @Test("A deletion that the service ends meanwhile is one that was done")
    func overtakenDeletion() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint()
        let overtaken = OvertakenJournal(base: counter.journal) { _ = try await counter.service.step() }
        let endpoints = WebhookEndpoints(
            overtaken, pepper: counter.endpoints.pepper, clock: world.clock, mode: .test, reachesInside: { _ in true })
        try await endpoints.delete(endpoint.id, of: .main)
        #expect(try await counter.journal.count(WebhookEndpoint.collection, matching: nil) == 0)
        await #expect(throws: WebhookError.unknownEndpoint) { try await endpoints.delete(endpoint.id, of: .main) }
    }

    @Test("A deleted endpoint leaves nothing; sixteen are the most; a key makes one")
    func administration() async throws {
        let world = try WebhookWorld()
        let counter = world.start()
        let (endpoint, _) = try await counter.endpoint()
        await #expect(throws: WebhookError.exists(endpoint.id)) { try await counter.endpoint() }
        _ = try await counter.create("o-1")
        world.receiver.answer(status: 500)
        #expect(try await counter.service.step())
        await #expect(throws: WebhookError.unknownEndpoint) {
            try await counter.endpoints.delete(endpoint.id, of: AccountID(rawValue: "other"))
        }
        try await counter.endpoints.delete(endpoint.id, of: .main)
        for collection in [WebhookEndpoint.collection, WebhookMessage.collection, WebhookLine.collection] {
            #expect(try await counter.journal.count(collection, matching: nil) == 0, "\(collection.rawValue)")
        }
        world.clock.advance(by: .days(2))
        #expect(try await counter.service.step())
        #expect(world.receiver.messages.count == 1)
        for number in 0..<WebhookLimits.endpointsPerAccount { _ = try await counter.endpoint(key: "k-\(number)") }
        await #expect(throws: WebhookError.tooManyEndpoints) { try await counter.endpoint(key: "one more") }
        await #expect(throws: WebhookError.type(UnknownWebhookType(word: "payment.paid"))) {
            try await counter.endpoint(["payment.created", "payment.paid"], key: "other")
        }
    }
}

/// A journal in memory beside whose reader another part of the counter acts before each counting.
private struct OvertakenJournal: JournalInFront, RecordStore {
    let base: MemoryJournal
    let other: @Sendable () async throws -> Void

    func write(_ write: JournalWrite) async throws(JournalError) { try await base.write(write) }

    func count(_ collection: RecordCollection, matching match: RecordMatch?) async throws(JournalError) -> Int {
        do { try await other() } catch { throw .unavailable("\(error)") }
        return try await base.count(collection, matching: match)
    }
}
