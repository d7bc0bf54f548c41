package import TillCore
import TillCounter
package import TillJournal

/// An order in the order book: what is sold, for whom, and how far it is. Its money is on its `OrderTab`.
package struct BookedOrder: Hashable, Sendable {
    /// How far an order is, apart from its money.
    package enum State: String, CaseIterable, Hashable, Sendable {
        /// To be prepared.
        case open
        /// Prepared, to be handed over or sent.
        case ready
        /// Handed over or sent.
        case fulfilled
        case canceled

        /// The states from which this one is reached.
        var previous: Set<State> {
            switch self {
            case .open: [.ready, .fulfilled, .canceled]
            case .ready: [.open]
            case .fulfilled: [.open, .ready]
            case .canceled: [.open, .ready]
            }
        }
    }

    /// The source of an order's content.
    package enum Origin: Hashable, Sendable {
        /// A shop or a program that booked the order, or replaced its content.
        case shop
        /// A paid basket with this identifier, from which the counter booked the order.
        case basket(String)

        /// The identifier of the basket; `nil` for a shop.
        package var basket: String? {
            switch self {
            case .shop: nil
            case .basket(let id): id
            }
        }
    }

    /// What the shop said about an order, all of which it can replace.
    package struct Content: Hashable, Sendable {
        package var order: Order
        package var contact: OrderContact?
        package var handover: Handover
        /// The customer's note.
        package var note: String?
        /// The time for which it is wanted, with its offset, as the shop wrote it.
        package var wantedAt: String?

        package init(
            order: Order, contact: OrderContact? = nil, handover: Handover = .none, note: String? = nil,
            wantedAt: String? = nil
        ) {
            (self.order, self.contact, self.handover, self.note) = (order, contact, handover, note)
            self.wantedAt = wantedAt
        }

        /// The hash by which the same content is known, also after its contact was erased.
        package var fingerprint: [UInt8] {
            let members: [(String, JSONValue)] = [
                ("order", order.jsonValue), ("contact", contact?.json ?? .null),
                ("handover", .string(handover.rawValue)), ("note", note.map { .string($0) } ?? .null),
                ("wanted_at", wantedAt.map { .string($0) } ?? .null),
            ]
            return digest(
                JSONValue.object(members.map { JSONMember(key: $0.0, value: $0.1) }).canonicalBytes())
        }
    }

    /// Names under which an order could not be read: addresses of their own, and parts of paths.
    static let reservedNames: Set<String> = ["events", ".", ".."]

    package let account: AccountID
    package var content: Content
    /// The fingerprint of the content as the shop sent it.
    package var fingerprint: [UInt8]
    package var state: State
    package var origin: Origin
    /// The number of changes, from 1.
    var changes: Int
    package let createdAt: Timestamp
    var updatedAt: Timestamp

    /// Creates an open order.
    init(account: AccountID, content: Content, from origin: Origin = .shop, at now: Timestamp) {
        (self.account, self.content, fingerprint) = (account, content, content.fingerprint)
        self.origin = origin
        (state, changes, createdAt, updatedAt) = (.open, 1, now, now)
    }

    package var id: OrderID { content.order.id }
    var key: String { OrderTab.key(account: account, order: id) }
    /// `true` until the goods are handed over or the order is canceled.
    package var isCurrent: Bool { state == .open || state == .ready }
    /// `true` if the order has a customer or a note.
    var isPersonal: Bool { content.contact != nil || content.note != nil }
}

extension BookedOrder: RecordDocument {
    package static let collection: RecordCollection = "order"

    /// The orders of an account.
    static func of(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }
    /// The orders of an account in a state.
    static func of(_ account: AccountID, in state: State) -> RecordMatch {
        RecordMatch("state", "\(account.rawValue)\n\(state.rawValue)")
    }
    /// The orders that were booked from a basket and have a note, of all accounts.
    static let notedInBasket = RecordMatch("basket_note", "1")
    /// The orders of an account with that number, if it can be one.
    static func of(_ account: AccountID, number: String) -> RecordMatch? { match("number", account, number) }
    /// The orders of an account whose telephone number ends in those digits.
    static func of(_ account: AccountID, phone digits: String) -> RecordMatch? { match("phone", account, digits) }

    private static func match(_ field: String, _ account: AccountID, _ value: String) -> RecordMatch? {
        let text = "\(account.rawValue)\n\(value)"
        return text.utf8.count <= RecordLimits.maximumKeyBytes ? RecordMatch(field, text) : nil
    }

    package var record: Record {
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.key("order")
        writer.order(content.order)
        if let contact = content.contact { writer.field("contact", contact.json) }
        writer.field("handover", content.handover.rawValue)
        if let note = content.note { writer.field("note", note) }
        if let wantedAt = content.wantedAt { writer.field("wanted_at", wantedAt) }
        writer.field("fingerprint", Hex.lowercase(fingerprint))
        if let basket = origin.basket { writer.field("basket", basket) }
        writer.field("state", state.rawValue)
        writer.field("changes", changes)
        writer.field("created_at", createdAt.milliseconds)
        writer.field("updated_at", updatedAt.milliseconds)
        writer.endObject()
        var fields: [String: String] = [:]
        // An order from a basket has no telephone number of its own: the contact is in the basket.
        let last =
            origin.basket == nil
            ? OrderContact.digits(of: content.contact?.phone).flatMap { BookedOrder.of(account, phone: $0) }
            : content.note.map { _ in BookedOrder.notedInBasket }
        let matches = [
            BookedOrder.of(account), BookedOrder.of(account, in: state),
            BookedOrder.of(account, number: content.order.number),
            last,
        ]
        for match in matches.compactMap(\.self) { fields[match.field] = match.value }
        // Due is the beginning of the retention, so that a change of the setting holds for every order.
        return Record(
            RecordID(BookedOrder.collection, key), body: writer.bytes, fields: fields,
            due: isPersonal ? updatedAt : nil)
    }

    package init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        account = AccountID(rawValue: try body.text("account"))
        guard let document = body.json["order"] else { throw body.damaged("order") }
        let order: Order
        do throws(OrderError) { order = try Order(json: document) } catch { throw body.damaged("order") }
        guard let handover = Handover(rawValue: try body.text("handover")) else { throw body.damaged("handover") }
        guard let state = State(rawValue: try body.text("state")) else { throw body.damaged("state") }
        // What is there and is not what it should be is damage, and nobody is to read it as missing.
        for text in ["note", "wanted_at", "basket"] where body.json[text] != nil { _ = try body.text(text) }
        let contact = body.json["contact"]
        guard contact?.objectValue != nil || contact == nil else { throw body.damaged("contact") }
        content = Content(
            order: order, contact: contact.map { OrderContact(json: $0) }, handover: handover,
            note: body.optionalText("note"), wantedAt: body.optionalText("wanted_at"))
        fingerprint = try body.bytes("fingerprint")
        origin = body.optionalText("basket").map { Origin.basket($0) } ?? .shop
        self.state = state
        changes = Int(clamping: try body.int("changes"))
        createdAt = Timestamp(milliseconds: try body.int("created_at"))
        updatedAt = Timestamp(milliseconds: try body.int("updated_at"))
    }
}

/// One change of an order, in the order of the changes: what a feed of orders is read from. It holds nothing personal.
struct OrderChange: Hashable, Sendable {
    let account: AccountID
    let order: OrderID
    /// The number of the change, from 1.
    let number: Int

    /// Creates the change that led to an order.
    init(to order: BookedOrder) { (account, self.order, number) = (order.account, order.id, order.changes) }
}

extension OrderChange: RecordDocument {
    static let collection: RecordCollection = "order_change"

    static func of(_ account: AccountID) -> RecordMatch { RecordMatch("account", account.rawValue) }

    var record: Record {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("account", account.rawValue)
        writer.field("order", order.rawValue)
        writer.field("number", number)
        writer.endObject()
        let of = OrderChange.of(account)
        return Record(
            RecordID(OrderChange.collection, "\(OrderTab.key(account: account, order: order)).\(number)"),
            body: writer.bytes, fields: [of.field: of.value])
    }

    init(_ stored: KeptRecord) throws(JournalError) {
        let body = try RecordBody(stored)
        account = AccountID(rawValue: try body.text("account"))
        order = OrderID(rawValue: try body.text("order"))
        number = Int(clamping: try body.int("number"))
    }
}
