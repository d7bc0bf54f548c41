import TillPayPalClient
import TillCore

/// A wallet's decrypted token as PayPal's payment source `apple_pay`.
enum WalletSource {
    /// Returns the body member and the values that must never be echoed; `nil` for a token that PayPal does not accept.
    static func json(_ payment: WalletPayment, amount: Money) -> (JSONValue, [Secret<String>])? {
        guard payment.wallet == "apple_pay", let token = payment.networkToken,
            let money = PayPalMoney.members(ifExact: amount)
        else { return nil }
        let expiry = token.expiry.reveal()
        let kind: String
        let proof: JSONValue
        var secrets = [token.number]
        switch token.proof {
        case .threeDSecure(let cryptogram, let indicator):
            kind = "3DSECURE"
            proof = .members(["cryptogram": .string(cryptogram.reveal()), "eci_indicator": indicator.json])
            secrets.append(cryptogram)
        case .emv(let data, let pin):
            kind = "EMV"
            proof = .members(["emv_data": .string(data.reveal()), "pin": (pin?.reveal()).json])
            secrets += [data] + (pin.map { [$0] } ?? [])
        }
        if let holder = token.holder { secrets.append(holder) }
        let card = JSONValue.members([
            "name": (token.holder?.reveal()).json, "number": .string(token.number.reveal()),
            "expiry": .string("\(expiry.year)-\(expiry.month < 10 ? "0" : "")\(expiry.month)"),
        ])
        let opened = JSONValue.members([
            "transaction_amount": .object(money), "tokenized_card": card,
            "device_manufacturer_id": token.deviceManufacturer.json, "payment_data_type": .string(kind),
            "payment_data": proof,
        ])
        let source = JSONValue.members(["id": .string(payment.transaction), "decrypted_token": opened])
        return (.members(["apple_pay": source]), secrets)
    }
}
