import TillAdyen
import TillBraintree
import TillPayPal
import TillProvider
import TillStripe

/// The providers that this program knows. A new one is its room and one line here.
enum ProviderModules {
    /// A task-local value, so that a test can sell with a provider that it makes up.
    @TaskLocal static var all: [any ProviderModule.Type] = [
        StripeModule.self,
        PayPalModule.self,
        BraintreeModule.self,
        AdyenModule.self,
    ]
}
