package dev.decant.fix.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists of addresses and networks that may connect, or may not. */
class AddressRulesTest {
  private static boolean admits(AddressRules rules, String address) throws UnknownHostException {
    return rules.admits(InetAddress.getByName(address));
  }

  @ParameterizedTest
  @CsvSource({"10.20.0.0/16, 10.20.255.1, true", "10.20.0.0/16, 10.21.0.1, false", "10.20.0.0/15, 10.21.0.1, true",
      "10.20.0.0/20, 10.20.16.0, false", "10.20.0.0/20, 10.20.15.255, true", "10.20.7.9, 10.20.7.9, true",
      "10.20.7.9, 10.20.7.8, false", "0.0.0.0/0, 192.0.2.1, true", "0.0.0.0/0, 2001:db8::1, false",
      "2001:db8::/32, 2001:db8:ffff::1, true", "2001:db8::/32, 2001:db9::1, false", "::1, ::1, true",
      "10.0.0.1, ::ffff:10.0.0.1, true"})
  void allowedNetworksAreComparedBitByBit(String network, String address, boolean expected) throws Exception {
    assertThat(admits(AddressRules.all().allow(network), address)).isEqualTo(expected);
    assertThat(admits(AddressRules.all().deny(network), address)).isNotEqualTo(expected);
  }

  @Test
  void denialsCountMoreThanPermissions() throws Exception {
    AddressRules rules = AddressRules.all().deny("10.20.7.0/24").allow("10.20.0.0/16").allow("192.0.2.1");
    assertThat(admits(rules, "10.20.6.1")).isTrue();
    assertThat(admits(rules, "10.20.7.1")).isFalse();
    assertThat(admits(rules, "192.0.2.1")).isTrue();
    assertThat(admits(rules, "192.0.2.2")).isFalse();
    assertThat(rules).hasToString("allow 10.20.0.0/16, allow 192.0.2.1, deny 10.20.7.0/24");
    assertThat(admits(AddressRules.all(), "192.0.2.2")).isTrue();
  }

  /** The system looked it up as a name, which a wildcard of a name server may well have. */
  @Test
  void numberAbove255IsNotLookedUp() {
    assertThatThrownBy(() -> AddressRules.all().allow("10.20.0.256")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'10.20.0.256'").hasNoCause();
  }

  /** A name would be looked up, perhaps by the loop, and may stand for another address tomorrow. */
  @ParameterizedTest
  @ValueSource(strings = {"venue.example", "", "10.20", "10.20.0.0/33", "10.20.0.0/-1", "10.20.0.0/x", "300.1.1.1",
      "2001:db8::/129", "1", "cafe"})
  void otherTextIsRefused(String text) {
    assertThatThrownBy(() -> AddressRules.all().allow(text)).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }
}
