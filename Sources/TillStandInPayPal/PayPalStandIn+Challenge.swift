import TillCore

extension PayPalStandIn {
    /// Serves the bank's page, or PayPal's, behind an order's `payer-action` link, on which the customer confirms or
    /// refuses.
    func challenge(_ method: String, _ request: Request) async -> PayPalAnswer {
        guard request.path.count == 3, let id = request.path.last else { return .missing() }
        guard method == "POST" else {
            guard let amount = await account.waiting(id) else { return ChallengePage.over }
            return await account.isOfAccount(id) ? ChallengePage.askingAccount(amount) : ChallengePage.asking(amount)
        }
        let succeeds = request.body == Array("answer=confirm".utf8)
        guard succeeds || request.body == Array("answer=refuse".utf8), await account.approve(id, succeeds: succeeds)
        else { return ChallengePage.over }
        guard let back = await account.returnURL(id, succeeds: succeeds) else {
            return ChallengePage.answered(succeeds)
        }
        return PayPalAnswer(303, location: back)
    }
}

/// The pages of the simulated bank.
private enum ChallengePage {
    static let over = page(
        404, "Nothing to confirm", "<p>This purchase is confirmed or refused already, or it does not exist.</p>")

    static func asking(_ amount: Money) -> PayPalAnswer {
        page(
            200, "Confirm this purchase?",
            """
            <p>A shop wants to charge your card <strong>\(amount)</strong>.</p>
            <form method="post"><button name="answer" value="confirm">Confirm</button>
            <button name="answer" value="refuse">Refuse</button></form>
            """)
    }

    static func askingAccount(_ amount: Money) -> PayPalAnswer {
        page(
            200, "Pay with your PayPal account?",
            """
            <p>A shop asks for <strong>\(amount)</strong> from buyer@example.com.</p>
            <form method="post"><button name="answer" value="confirm">Pay now</button>
            <button name="answer" value="refuse">Cancel and go back</button></form>
            """)
    }

    static func answered(_ succeeds: Bool) -> PayPalAnswer {
        page(
            200, succeeds ? "Confirmed" : "Refused",
            "<p>Go back to the shop. \(succeeds ? "It takes the money now." : "Nothing is charged.")</p>")
    }

    private static func page(_ status: Int, _ title: String, _ body: String) -> PayPalAnswer {
        PayPalAnswer(
            status,
            text: """
                <!doctype html><html lang="en"><head><meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(title)</title><style>
                body{font:1.1rem/1.5 system-ui,sans-serif;margin:0;color:#1c1c1c;background:#f3f3f3}
                main{max-width:28rem;margin:10vh auto;padding:1.5rem;background:#fff;border:1px solid #ccc}
                button{font:inherit;padding:.6rem 1.2rem;margin:.5rem .5rem 0 0}
                small{color:#595959}</style></head><body><main><h1>\(title)</h1>\(body)
                <p><small>The sandbox stands in for the card's bank, and for PayPal. No real money moves.</small></p>
                </main></body></html>
                """, contentType: "text/html; charset=utf-8")
    }
}
