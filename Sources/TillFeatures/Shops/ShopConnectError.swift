import HTTPTypes
package import TillCore
package import TillCounter
package import TillJournal
package import TillShop
package import TillWeb

/// An error in connecting or disconnecting a shop. Neither moves money.
package enum ShopConnectError: ExplainedError, ProblemConvertible, Hashable {
    case unknownShop
    /// The account has as many shops as it may have.
    case tooManyShops
    /// The shop sells in the test mode of the counter, and is not said to be a test shop.
    case testMode
    /// Another shop of the account has no scope, or the same.
    case sameScope(String)
    /// The shop is connected with another scope.
    case scopeChanged
    /// The text is no name of a scope.
    case scope
    /// The shop is connected already, and was not to be given another key.
    case connected(String, as: String)
    /// The address leads into the counter's own network, to its machine or to nobody, and was named over HTTP.
    case inside
    /// The text is no address to which a shop sends notifications.
    case notifyAt
    /// The shop is connected, and was not told to notify the counter.
    case notNotified(ShopError)
    case shop(ShopError)
    case sealing(StaffError)
    case journal(JournalError)

    package var code: String {
        switch self {
        case .unknownShop: "shop_not_found"
        case .tooManyShops: "too_many_shops"
        case .testMode: "shop_in_test_mode"
        case .sameScope: "shop_scope_taken"
        case .scopeChanged: "shop_scope_changed"
        case .scope: "invalid_scope"
        case .connected: "shop_connected"
        case .inside: "shop_address_inside"
        case .notifyAt: "invalid_notify_at"
        case .notNotified: "shop_not_notified"
        case .shop(let error): error.code
        case .sealing(let error): error.code
        case .journal: "journal"
        }
    }

    package var what: String {
        switch self {
        case .unknownShop: "There is no such shop connected."
        case .tooManyShops: "\(ShopSyncLimits.shopsPerAccount) shops are connected, which is the most."
        case .testMode:
            "This counter is in test mode: the shop would be told of payments that moved no money. It was not "
                + "connected."
        case .sameScope(let url):
            "The orders of \(url) have the same scope, so two orders could have one number. The shop was not connected."
        case .scopeChanged:
            "The shop is connected with another scope, under which its orders are booked. Nothing was changed."
        case .scope: "This is no name of a scope. The shop was not connected."
        case .connected(let url, let id): "\(url) is connected already, as \(id). Nothing was changed."
        case .inside:
            "This address is on the counter's machine, in its network, or nobody's. Nothing was sent to it, and the "
                + "shop was not connected."
        case .notifyAt: "This is no address to which a shop sends notifications. The shop was not connected."
        case .notNotified(let error):
            "The shop is connected, but does not notify the counter of changes, which asks it for them instead. "
                + error.what
        case .shop(let error): error.what
        case .sealing(let error): error.what
        case .journal(let error): "\(error)"
        }
    }

    package var moneyMoved: MoneyMoved { .no }

    package var next: String {
        switch self {
        case .unknownShop: "See till shop list."
        case .tooManyShops: "Disconnect one first."
        case .testMode: "If it is a test shop, say so: --test-shop, over HTTP test_shop."
        case .sameScope: "Connect it with a scope, which is a short name: --scope, over HTTP scope."
        case .scopeChanged: "Leave out the scope to connect it with another key."
        case .scope: "Use 1 to \(OrderScope.maximumBytes) letters, digits, dots, dashes and underscores."
        case .connected: "Disconnect it first, or give it another key with till shop connect."
        case .inside:
            "Connect it on the counter's machine with till shop connect, or set shops.private for the counter's own "
                + "network."
        case .notifyAt: "Give the counter's public address, such as https://till.example."
        case .notNotified: "Nothing needs to be done. To try it again, use till shop connect with --notify-at."
        case .shop(let error): error.next
        case .sealing(let error): error.next
        case .journal: "Try again."
        }
    }

    package var problem: Problem {
        var made =
            switch self {
            case .unknownShop: problem(.notFound)
            case .tooManyShops, .testMode, .sameScope, .scopeChanged, .connected, .notNotified: problem(.conflict)
            case .shop, .scope, .inside, .notifyAt: problem(.unprocessableContent)
            case .sealing(let error): error.problem
            case .journal(let error): error.problem
            }
        if let field { made.errors = [(field, what)] }
        return made
    }

    /// The field of a request over HTTP that has to be another one; `nil` if none has.
    private var field: String? {
        switch self {
        case .connected, .inside: "url"
        case .testMode: "test_shop"
        case .sameScope, .scopeChanged, .scope: "scope"
        case .notifyAt: "notify_at"
        case .shop(.key(.secret)): "secret"
        case .shop(.key(.key)), .shop(.unauthorized): "key"
        case .shop: "url"
        case .unknownShop, .tooManyShops, .notNotified, .sealing, .journal: nil
        }
    }
}
