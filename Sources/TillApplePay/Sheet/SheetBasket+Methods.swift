extension SheetBasket {
    /// The shipping methods as a sheet is given them, at its opening and in an update. The wallet selects the first one
    /// of every list, so the selected method is first: the sheet shows the method that is charged.
    package var offeredMethods: [SheetShippingMethod] {
        guard let shippingMethod else { return shippingMethods }
        return [shippingMethod] + shippingMethods.filter { $0.identifier != shippingMethod.identifier }
    }
}
