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
        case .testMode: "If it is a test shop, connect it with --test-shop."
        case .sameScope: "Connect it with --scope and a short name."
        case .scopeChanged: "Leave out --scope to connect it with another key."
        case .shop(let error): error.next
        case .sealing(let error): error.next
        case .journal: "Try again."
        }
    }

    package var problem: Problem {
        switch self {
        case .unknownShop: problem(.notFound)
        case .tooManyShops, .testMode, .sameScope, .scopeChanged: problem(.conflict)
        case .shop: problem(.unprocessableContent)
        case .sealing(let error): error.problem
        case .journal(let error): error.problem
        }
    }
}
