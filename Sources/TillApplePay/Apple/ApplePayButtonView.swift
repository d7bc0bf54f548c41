#if canImport(PassKit) && ((canImport(SwiftUI) && (os(iOS) || os(visionOS))) || TILL_SHELL_APART)
    public import Foundation
    import PassKit
    #if TILL_SHELL_APART
        public import SwiftUIInterface
        public import TillApplePay
    #else
        public import SwiftUI
    #endif

    /// ``PassKitPaymentButton`` in SwiftUI. Without a button the view has no size, unless a frame gives it one.
    public struct ApplePayButtonView: UIViewRepresentable {
        private let type: ApplePayButtonType
        private let style: ApplePayButtonStyle
        private let cornerRadius: CGFloat?
        private let availability: @MainActor () -> ApplePayAvailability
        private let pay: @MainActor () -> Void

        /// Creates a button.
        /// - Parameters:
        ///   - type: the words on a button that pays.
        ///   - cornerRadius: the radius of the corners in points; `nil` for PassKit's own.
        ///   - availability: returns the availability of Apple Pay, such as ``ApplePayService/availability``.
        ///   - pay: opens the payment sheet.
        public init(
            _ type: ApplePayButtonType = .plain, style: ApplePayButtonStyle = .automatic, cornerRadius: CGFloat? = nil,
            availability: @escaping @MainActor () -> ApplePayAvailability, pay: @escaping @MainActor () -> Void
        ) {
            (self.type, self.style, self.cornerRadius) = (type, style, cornerRadius)
            (self.availability, self.pay) = (availability, pay)
        }

        public func makeUIView(context: Context) -> PassKitPaymentButton {
            PassKitPaymentButton(
                type, style: style, cornerRadius: cornerRadius, availability: availability, pay: pay)
        }

        public func updateUIView(_ view: PassKitPaymentButton, context: Context) {
            (view.availability, view.pay) = (availability, pay)
            (view.type, view.style, view.cornerRadius) = (type, style, cornerRadius)
            view.refresh()
        }

        /// Returns the proposed size with PassKit's own where none is proposed; zero without a button.
        public func sizeThatFits(
            _ proposal: ProposedViewSize, uiView view: PassKitPaymentButton, context: Context
        ) -> CGSize? {
            guard view.shown != .hidden else { return CGSize.zero }
            let own = view.intrinsicContentSize
            return CGSize(width: proposal.width ?? own.width, height: proposal.height ?? own.height)
        }
    }
#endif
