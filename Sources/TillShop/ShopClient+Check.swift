import HTTPTypes
package import TillCore

extension ShopClient {
    /// What a shop says of itself.
    package struct Standing: Hashable, Sendable {
        /// The version of WooCommerce; `nil` if the key's user may not see it.
        package var version: String?
        /// The currency of new orders; `nil` likewise.
        package var currency: Currency?

        package init(version: String?, currency: Currency?) { (self.version, self.currency) = (version, currency) }
    }

    /// Checks that the key may read and write orders, and asks for the shop's version. Changes nothing: the change that
    /// is tried is of order 0, which no shop has.
    /// - Throws: ``ShopError/unauthorized(_:)`` if a right is missing.
    package func check() async throws(ShopError) -> Standing {
        let page: Answer
        do throws(ShopError) { page = try await get("orders", [("_fields", "id"), ("per_page", "1")]) } catch {
            // Something that answers in JSON and has no orders is no shop.
            guard case .notFound = error else { throw error }
            throw .unreadable("list of orders")
        }
        guard page.document.arrayValue != nil else { throw .unreadable("list of orders") }
        do throws(ShopError) {
            _ = try await change(.put, "orders/0", .object([]))
            throw ShopError.unreadable("answer to a change of an order that does not exist")
        } catch {
            switch error {
            case .refused(status: 400, _), .notFound: break
            default: throw error
            }
        }
        do throws(ShopError) {
            let status = try await get("system_status", [("_fields", "environment.version,settings.currency")]).document
            let version = status.at("environment", "version")?.stringValue.map {
                String(short($0).prefix(40))
            }
            return Standing(
                version: version,
                currency: status.at("settings", "currency")?.stringValue.flatMap { Currency(ifValid: $0) })
        } catch {
            // A user who is no manager of the shop may work with orders and not see its state.
            switch error {
            case .unauthorized, .notFound, .refused: return Standing(version: nil, currency: nil)
            default: throw error
            }
        }
    }
}
