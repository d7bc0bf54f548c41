#if canImport(PassKit)
    import PassKit

    extension PassKitConversion {
        /// Returns PassKit's networks for Apple's names of them, such as `visa`: one for each name, in the same order.
        /// A network that the system knows under the name in other capitals is that one; a name that neither this
        /// table nor the system knows is passed on as it is.
        static func networks(_ names: [String]) -> [PKPaymentNetwork] {
            let available = PKPaymentRequest.availableNetworks()
            return names.map { name in
                known(name) ?? newer(name)
                    ?? available.first(where: { $0.rawValue.lowercased() == name.lowercased() })
                    ?? PKPaymentNetwork(rawValue: name)
            }
        }

        /// Returns a network of iOS 16 and macOS 15.
        private static func known(_ name: String) -> PKPaymentNetwork? {
            switch name {
            case "amex": .amex
            case "bancontact": .bancontact
            case "barcode": .barcode
            case "cartesBancaires": .cartesBancaires
            case "chinaUnionPay": .chinaUnionPay
            case "dankort": .dankort
            case "discover": .discover
            case "eftpos": .eftpos
            case "electron": .electron
            case "elo": .elo
            case "girocard": .girocard
            case "idCredit": .idCredit
            case "interac": .interac
            case "jcb": .JCB
            case "mada": .mada
            case "maestro": .maestro
            case "masterCard": .masterCard
            case "mir": .mir
            case "nanaco": .nanaco
            case "privateLabel": .privateLabel
            case "quicPay": .quicPay
            case "suica": .suica
            case "visa": .visa
            case "vPay": .vPay
            case "waon": .waon
            default: nil
            }
        }

        /// Returns a network that came after iOS 16, where the system has it.
        private static func newer(_ name: String) -> PKPaymentNetwork? {
            switch name {
            case "postFinance": if #available(iOS 16.4, *) { return .postFinance }
            case "pagoBancomat": if #available(iOS 17, *) { return .pagoBancomat }
            case "tmoney": if #available(iOS 17, *) { return .tmoney }
            case "meeza": if #available(iOS 17.4, *) { return .meeza }
            case "bankAxept": if #available(iOS 17.5, *) { return .bankAxept }
            case "himyan": if #available(iOS 18.4, macOS 15.4, *) { return .himyan }
            case "jaywan": if #available(iOS 18.4, macOS 15.4, *) { return .jaywan }
            default: break
            }
            return nil
        }
    }
#endif
