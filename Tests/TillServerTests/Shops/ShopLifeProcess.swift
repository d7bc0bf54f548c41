import HTTPTypes
import Synchronization
import TillCore
@testable import TillFeatureShops
import TillJournal
import TillStandInShop

/// A fault that is planted in the work with a shop: each must turn the simulation red.
enum ShopPlant: String, CaseIterable, Sendable {
    /// A transport that sends a refund again when its answer is lost.
    case refundSentAgain
    /// A worker that does not look for a refund before it has it recorded: the shop's list of them reads as empty.
    case refundsNotLookedAt
    /// A transport that answers for the shop that a payment is recorded.
    case paymentNotPassedOn
    /// Refunds of the shop that are carried out without a key.
    case refundWithoutKey
    /// Payments that mark no order as having something to do.
    case paymentsNotNoticed
    /// Two processes that work with the shop at the same time.
    case twoWorkers
}

/// The life of a process: after its end nothing that it does has an effect.
final class ShopProcessLife: Sendable {
    let journal: MemoryJournal
    private let hasEnded = Mutex(false)

    init(_ journal: MemoryJournal) { self.journal = journal }

    var isDead: Bool { hasEnded.withLock { $0 } }

    func die() {
        hasEnded.withLock { $0 = true }
        journal.crash()
    }
}

/// The journal as one process sees it, which may die before and after each write.
struct ShopLifeJournal: JournalInFront, RecordStore {
    /// The operation of a refund that carries out one of the shop.
    private static let shopsRefund = "shop.refund"
    /// The record that the working process holds.
    private static let post = RecordID("shop_sync", "sync")
    /// Deaths right after a refund of the shop is written, of a thousand: the moment at which it may be given twice.
    private static let deathsAtRefund: UInt64 = 200
    /// The same where a fault is planted that is seen then only.
    private static let plantedDeathsAtRefund: UInt64 = 700

    let base: MemoryJournal
    let life: ShopLife
    let process: ShopProcessLife

    func write(_ write: JournalWrite) async throws(JournalError) {
        if life.mayDie(process, "before a write") { throw .unavailable("the process died") }
        var write = write
        let carriesOut = write.idempotency?.scope.operation == ShopLifeJournal.shopsRefund
        if life.plant == .refundWithoutKey, carriesOut { write.idempotency = nil }
        if life.plant == .paymentsNotNoticed,
            write.records.contains(where: { $0.id?.collection == ConnectedShop.collection })
        {
            write.records.removeAll { $0.id?.collection == LinkedOrder.collection }
        }
        try await base.write(write)
        let isDead =
            carriesOut
            ? life.mayDie(
                process, "after a refund of the shop",
                perMille: life.plant == nil ? ShopLifeJournal.deathsAtRefund : ShopLifeJournal.plantedDeathsAtRefund)
            : life.mayDie(process, "after a write")
        if isDead { throw .unavailable("the process died") }
    }

    func idempotency(_ scope: IdempotencyScope) async throws(JournalError) -> IdempotencyRecord? {
        if life.plant == .refundWithoutKey, scope.operation == ShopLifeJournal.shopsRefund { return nil }
        return try await base.idempotency(scope)
    }

    func record(_ id: RecordID) async throws(JournalError) -> KeptRecord? {
        guard var kept = try await base.record(id) else { return nil }
        if life.plant == .twoWorkers, id == ShopLifeJournal.post { kept.holder = .thisProcess }
        return kept
    }
}

/// The way from a process to the shop: it takes time, is cut at times, and the process may die before and after each
/// call.
struct ShopLifeWire: HTTPTransport {
    private static let interface = "/wp-json/wc/v3/orders/"

    let life: ShopLife
    let process: ShopProcessLife

    func send(_ request: HTTPRequest, body: [UInt8], deadline: Span) async throws(TransportFailure) -> HTTPReply {
        if life.mayDie(process, "before a call") { throw .notSent(reason: "the process died") }
        await life.travel()
        guard !process.isDead else { throw .notSent(reason: "the process died") }
        guard !life.isOut else {
            life.count("outage")
            return ShopLifeWire.reply(503, "<h1>Service Unavailable</h1>")
        }
        if request.method != .get, life.isLateThisTime() {
            life.carryOutLate(request, body)
            await life.clock.pause(for: deadline)
            throw .unknown(reason: "no answer came in time")
        }
        let reply = try await pass(request, body, deadline)
        await life.travel()
        if life.mayDie(process, "after a call") { throw .unknown(reason: "the process died") }
        return reply
    }

    /// Passes a request on, with the planted fault.
    private func pass(
        _ request: HTTPRequest, _ body: [UInt8], _ deadline: Span
    ) async throws(TransportFailure) -> HTTPReply {
        let path = String((request.path ?? "").prefix { $0 != "?" })
        let isOfRefunds = path.hasSuffix("/refunds")
        switch life.plant {
        case .refundSentAgain where isOfRefunds && request.method == .post:
            let first: HTTPReply?
            do throws(TransportFailure) {
                first = try await life.shop.send(request, body: body, deadline: deadline)
            } catch { first = nil }
            if let first, first.response.status.code == 201 { return first }
            return try await life.shop.send(request, body: body, deadline: deadline)
        case .refundsNotLookedAt where isOfRefunds && request.method == .get:
            return ShopLifeWire.reply(200, "[]")
        case .paymentNotPassedOn:
            return try await pretend(request, body, deadline, Int64(path.dropFirst(ShopLifeWire.interface.count)))
        case .refundSentAgain, .refundsNotLookedAt, .refundWithoutKey, .paymentsNotNoticed, .twoWorkers, nil:
            return try await life.shop.send(request, body: body, deadline: deadline)
        }
    }

    /// Keeps a payment from the shop, and shows the order as paid from then on.
    private func pretend(
        _ request: HTTPRequest, _ body: [UInt8], _ deadline: Span, _ order: Int64?
    ) async throws(TransportFailure) -> HTTPReply {
        if request.method == .put, let order, let document = JSONValue(ifValid: body),
            document["set_paid"]?.boolValue == true, let transaction = document["transaction_id"]?.stringValue
        {
            life.withhold(transaction, of: order)
            return ShopLifeWire.reply(200, "{}")
        }
        let reply = try await life.shop.send(request, body: body, deadline: deadline)
        guard request.method == .get, let order, let transaction = life.withheld(of: order),
            case .object(let members)? = JSONValue(ifValid: reply.body)
        else { return reply }
        let lies: [String: JSONValue] = [
            "status": .string("processing"), "transaction_id": .string(transaction), "needs_payment": .bool(false),
            "date_paid_gmt": .string("2026-11-18T12:00:00"),
        ]
        let shown = JSONValue.object(members.map { JSONMember(key: $0.key, value: lies[$0.key] ?? $0.value) })
        return HTTPReply(response: reply.response, body: shown.bytes())
    }

    private static func reply(_ status: Int, _ text: String) -> HTTPReply {
        HTTPReply(response: HTTPResponse(status: HTTPResponse.Status(code: status)), body: Array(text.utf8))
    }
}
