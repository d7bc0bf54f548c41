import TillApplePay

extension SheetBasket {
    /// The basket with each of its shipping methods and each kind of card: all that a customer can choose in the sheet.
    var variants: [SheetBasket] {
        var shipped = shippingMethods.map { method in
            var basket = self
            _ = basket.choose(shippingMethod: method.identifier)
            return basket
        }
        if shipped.isEmpty { shipped = [self] }
        return shipped.flatMap { basket in
            (creditFee == nil ? [paysByCredit] : [false, true]).map { isCredit in
                var paid = basket
                paid.pay(byCredit: isCredit)
                return paid
            }
        }
    }
}
