import TillCore

/// Changes after the sale that the shop did not request, driven by `POST /_sandbox/aftersale`.
extension BraintreeLedger {
    /// A webhook's kind and subject.
    typealias Report = (kind: String, subject: BraintreeElement)

    /// Applies `{"reference":"TRANSACTION","do":"refund"}`. Other actions: `capture`, `void`, `fail_refund`,
    /// `decline_settlement`, `dispute`, `inquire`, `review`, `accept`, `win`, `lose`. `amount` is in minor units,
    /// `respond_by` a day such as 2030-01-31.
    /// - Returns: the webhooks to send, possibly none; `nil` if the action is not possible.
    func play(_ json: JSONValue) -> [Report]? {
        guard let id = json["reference"]?.stringValue, let sale = transactions[id], sale.type == "sale",
            let word = json["do"]?.stringValue
        else { return nil }
        let amount = json["amount"]?.int64Value.map { Money(minorUnits: $0, currency: sale.amount.currency) }
        switch word {
        case "refund":
            // The control panel's refunds carry the order id of their sale.
            var wanted = [BraintreeElement("order_id", sale.orderID ?? "")]
            if let amount { wanted.append(BraintreeElement("amount", amount.decimalString)) }
            let answer = refund(id, BraintreeElement("transaction", of: wanted))
            return answer.status == 201 ? [] : nil
        case "capture": return submit(id, nil).status == 200 ? [] : nil
        case "void": return void(id).status == 200 ? [] : nil
        case "fail_refund":
            guard let last = sale.refunds.last(where: { transactions[$0]?.hasMoved == true }) else { return nil }
            transactions[last]?.status = "processor_declined"
            return [("refund_failed", find(last).node)]
        case "decline_settlement":
            guard sale.hasMoved else { return nil }
            transactions[id]?.status = "settlement_declined"
            return [("transaction_settlement_declined", find(id).node)]
        case "dispute", "inquire":
            guard sale.hasMoved else { return nil }
            var dispute = Dispute(
                id: newID(), kind: word == "inquire" ? "retrieval" : "chargeback", amount: amount ?? sale.amount,
                reason: json["reason"]?.stringValue ?? "fraud", replyBy: json["respond_by"]?.stringValue ?? "2030-01-31"
            )
            dispute.steps = [step(of: dispute, before: 0)]
            transactions[id]?.disputes.append(dispute)
            return report("dispute_opened", of: id)
        case "review": return change(id, to: "under_review", "dispute_under_review")
        case "accept": return change(id, to: "accepted", "dispute_accepted")
        case "win": return change(id, to: "won", "dispute_won")
        case "lose": return change(id, to: "lost", "dispute_lost")
        default: return nil
        }
    }

    private func change(_ id: String, to status: String, _ kind: String) -> [Report]? {
        guard let count = transactions[id]?.disputes.count, count > 0 else { return nil }
        guard var dispute = transactions[id]?.disputes[count - 1] else { return nil }
        let before = dispute.withdrawn
        dispute.status = status
        dispute.steps.append(step(of: dispute, before: before))
        transactions[id]?.disputes[count - 1] = dispute
        return report(kind, of: id)
    }

    /// A dispute's step in its current state, with a disbursement day if it moved money.
    private func step(of dispute: Dispute, before: Int64) -> (status: String, at: Timestamp, day: String?) {
        let now = clock.now()
        return (dispute.status, now, dispute.withdrawn == before ? nil : String(now.internetTime.prefix(10)))
    }

    private func report(_ kind: String, of id: String) -> [Report]? {
        guard let sale = transactions[id], let dispute = sale.disputes.last else { return nil }
        return [(kind, render(dispute, of: sale))]
    }

    func render(_ dispute: Dispute, of sale: Transaction) -> BraintreeElement {
        BraintreeElement(
            "dispute",
            of: [
                BraintreeElement("id", dispute.id), BraintreeElement("amount", dispute.amount.decimalString),
                BraintreeElement("amount-disputed", dispute.amount.decimalString),
                BraintreeElement("amount-won", dispute.status == "won" ? dispute.amount.decimalString : "0.00"),
                BraintreeElement("currency-iso-code", dispute.amount.currency.code),
                BraintreeElement("kind", dispute.kind), BraintreeElement("reason", dispute.reason),
                BraintreeElement("received-date", sale.created.internetTime.prefix(10).description, type: "date"),
                BraintreeElement("reply-by-date", dispute.replyBy, type: "date"),
                BraintreeElement("status", dispute.status), steps(of: dispute),
                BraintreeElement(
                    "transaction",
                    of: [
                        BraintreeElement("id", sale.id), BraintreeElement("amount", sale.amount.decimalString),
                        BraintreeElement("order-id", sale.orderID ?? ""),
                    ]),
            ])
    }

    /// Returns the first status and each that followed.
    func history(of transaction: Transaction) -> [BraintreeElement] {
        let first = transaction.history.isEmpty ? [transaction.status] : transaction.history
        return first.map { status in
            BraintreeElement(
                "status-event",
                of: [
                    BraintreeElement("status", status), BraintreeElement("amount", transaction.amount.decimalString),
                    BraintreeElement("timestamp", transaction.updated.internetTime, type: "datetime"),
                ])
        }
    }
}

extension BraintreeLedger.Dispute {
    /// The amount withdrawn from the shop for the dispute.
    var withdrawn: Int64 { kind == "retrieval" || status == "won" ? 0 : amount.minorUnits }
}
