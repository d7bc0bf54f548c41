#if os(Linux)
    import Foundation
    import PassKit
    import SwiftUIInterface
    import Testing
    import TillApplePay
    import TillApplePayShell

    /// A device whose wallet changes, and what the app's button made of it.
    @MainActor private final class Device {
        var availability = ApplePayAvailability.available
        var payments = 0

        func button(
            _ type: ApplePayButtonType = .checkout, style: ApplePayButtonStyle = .black
        ) -> PassKitPaymentButton {
            PassKitPaymentButton(
                type, style: style, availability: { self.availability }, pay: { self.payments += 1 })
        }
    }

    @Suite("PassKit's button", .serialized)
    @MainActor struct PassKitButtonTests {
        private func inner(_ button: PassKitPaymentButton) -> PKPaymentButton? {
            button.subviews.first as? PKPaymentButton
        }

        @Test("A press opens the sheet where the device can pay, and the set-up where it lacks a card")
        func presses() throws {
            let device = Device()
            let button = device.button()
            #expect(button.shown == .pay(.checkout) && !button.isHidden)
            #expect(inner(button)?.testType == .checkout && inner(button)?.testStyle == .black)
            let setups = PKPassLibrary.testSetups
            try #require(inner(button)).testTap()
            #expect(device.payments == 1 && PKPassLibrary.testSetups == setups)
            device.availability = .needsSetup
            button.refresh()
            #expect(button.shown == .setUp && button.subviews.count == 1)
            #expect(inner(button)?.testType == .setUp && inner(button)?.testStyle == .black)
            try #require(inner(button)).testTap()
            #expect(device.payments == 1 && PKPassLibrary.testSetups == setups + 1)
            device.availability = .unavailable
            button.refresh()
            #expect(button.shown == .hidden && button.isHidden && button.subviews.isEmpty)
            #expect(button.intrinsicContentSize == .zero)
            button.press()
            #expect(device.payments == 1 && PKPassLibrary.testSetups == setups + 1)
        }

        @Test("A device without a wallet is not sent to its set-up")
        func noWallet() {
            PKPassLibrary.testIsAvailable = false
            defer { PKPassLibrary.testIsAvailable = true }
            let device = Device()
            device.availability = .needsSetup
            #expect(device.button().shown == .hidden)
        }

        @Test("A card that was added while the app was away is there when it is back")
        func activation() async {
            let device = Device()
            device.availability = .needsSetup
            let button = device.button()
            device.availability = .available
            #expect(button.shown == .setUp)
            NotificationCenter.default.post(name: UIApplication.didBecomeActiveNotification, object: nil)
            for _ in 0..<1_000 where button.shown == .setUp { await Task.yield() }
            #expect(button.shown == .pay(.checkout))
        }

        @Test("Another look makes another button, and the same look none")
        func looks() {
            let button = Device().button()
            let first = inner(button)
            button.refresh()
            button.type = .checkout
            #expect(inner(button) === first)
            button.type = .order
            #expect(button.shown == .pay(.order) && inner(button)?.testType == .order)
            button.style = .whiteOutline
            button.cornerRadius = 12
            #expect(inner(button)?.testStyle == .whiteOutline && inner(button)?.cornerRadius == 12)
            #expect(button.subviews.count == 1)
            button.frame = CGRect(x: 0, y: 0, width: 300, height: 48)
            button.layoutSubviews()
            #expect(inner(button)?.frame == CGRect(x: 0, y: 0, width: 300, height: 48))
        }

        @Test("A number that this PassKit does not know is the logo alone, in the device's appearance")
        func unknown() {
            #expect(PassKitConversion.buttonType(ApplePayButtonType(rawValue: 99)) == .plain)
            #expect(PassKitConversion.buttonStyle(ApplePayButtonStyle(rawValue: -1)) == .automatic)
            for number in 0...16 {
                #expect(PassKitConversion.buttonType(ApplePayButtonType(rawValue: number)).rawValue == number)
            }
        }

        @Test("In SwiftUI the view has a size where there is a button, and follows its values")
        func swiftUI() {
            let device = Device()
            func view(_ type: ApplePayButtonType) -> ApplePayButtonView {
                ApplePayButtonView(type, availability: { device.availability }, pay: { device.payments += 1 })
            }
            let context = ApplePayButtonView.Context()
            let made = view(.buy).makeUIView(context: context)
            #expect(made.shown == .pay(.buy))
            let wide = ProposedViewSize(width: 300, height: nil)
            #expect(view(.buy).sizeThatFits(wide, uiView: made, context: context) == CGSize(width: 300, height: 30))
            view(.tip).updateUIView(made, context: context)
            #expect(made.shown == .pay(.tip) && inner(made)?.testType == .tip)
            device.availability = .unavailable
            view(.tip).updateUIView(made, context: context)
            #expect(view(.tip).sizeThatFits(wide, uiView: made, context: context) == .zero)
        }
    }
#endif
