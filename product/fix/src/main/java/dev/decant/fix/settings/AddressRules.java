package dev.decant.fix.settings;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Rules for the addresses that may connect: allowed and denied addresses and networks. A denied one is refused even if
 * another rule allows it. If any is allowed, all others are refused. Immutable.
 *
 * <pre>
 * AddressRules.all().allow("10.20.0.0/16").allow("2001:db8::/32").deny("10.20.7.9")
 * </pre>
 */
public final class AddressRules {
  private static final AddressRules ALL = new AddressRules(List.of(), List.of());
  private static final int MAX_OCTET = 255;
  private static final String ADDRESS_CHARACTERS = "[0-9a-fA-F:.]+";

  private final List<Network> allowed;
  private final List<Network> denied;

  private AddressRules(List<Network> allowed, List<Network> denied) {
    this.allowed = allowed;
    this.denied = denied;
  }

  /** An address, and how many of its leading bits are compared. */
  @SuppressWarnings("ArrayRecordComponent") // the array is never compared, and never returned
  private record Network(byte[] address, int bits, String text) {
    boolean contains(byte[] other) {
      if (other.length != address.length) {
        return false;
      }
      int bytes = bits / Byte.SIZE;
      for (int i = 0; i < bytes; i++) {
        if (other[i] != address[i]) {
          return false;
        }
      }
      int mask = 0xFF00 >> bits % Byte.SIZE & 0xFF;
      return mask == 0 || (other[bytes] & mask) == (address[bytes] & mask);
    }

    /** Parses an address, or a network in CIDR notation. A host name is refused, since the system would look it up. */
    static Network parse(String text) {
      int slash = text.indexOf('/');
      String host = slash < 0 ? text : text.substring(0, slash);
      if (!host.matches(ADDRESS_CHARACTERS) || (host.indexOf(':') < 0 && !isIpv4(host))) {
        throw new IllegalArgumentException("'" + text + "' is no IP address, nor a network such as 10.20.0.0/16");
      }
      try {
        byte[] address = InetAddress.getByName(host).getAddress();
        int most = address.length * Byte.SIZE;
        int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
        if (bits < 0 || bits > most) {
          throw new IllegalArgumentException("'" + text + "': a prefix has 0 to " + most + " bits");
        }
        return new Network(address, bits, text.toLowerCase(Locale.ROOT));
      } catch (UnknownHostException | NumberFormatException e) {
        throw new IllegalArgumentException("'" + text + "' is no IP address, nor a network such as 10.20.0.0/16", e);
      }
    }

    /**
     * Returns true for an IPv4 address. With a number above 255, the system would take the text for a name and look it
     * up.
     */
    private static boolean isIpv4(String host) {
      return host.matches("\\d{1,3}(\\.\\d{1,3}){3}")
          && Arrays.stream(host.split("\\.", -1)).allMatch(number -> Integer.parseInt(number) <= MAX_OCTET);
    }
  }

  /**
   * Returns rules that let all addresses connect.
   *
   * @return the rules
   */
  public static AddressRules all() {
    return ALL;
  }

  /**
   * Allows an address or a network. If there is an allowed one, only allowed ones may connect.
   *
   * @param network an IPv4 or IPv6 address, or a network such as {@code 10.20.0.0/16}
   * @return rules with it
   * @throws IllegalArgumentException if it is neither; names are not looked up
   */
  public AddressRules allow(String network) {
    return new AddressRules(with(allowed, network), denied);
  }

  /**
   * Denies an address or a network.
   *
   * @param network an IPv4 or IPv6 address, or a network such as {@code 10.20.0.0/16}
   * @return rules with it
   * @throws IllegalArgumentException if it is neither; names are not looked up
   */
  public AddressRules deny(String network) {
    return new AddressRules(allowed, with(denied, network));
  }

  private static List<Network> with(List<Network> networks, String text) {
    List<Network> all = new ArrayList<>(networks);
    all.add(Network.parse(text));
    return List.copyOf(all);
  }

  /**
   * Returns true if an address may connect.
   *
   * @param address the address of the peer; an IPv4 address mapped into IPv6 counts as IPv4
   * @return false if it is denied, or if only others are allowed
   */
  public boolean admits(InetAddress address) {
    if (allowed.isEmpty() && denied.isEmpty()) {
      return true;
    }
    byte[] bytes = address.getAddress();
    return !contains(denied, bytes) && (allowed.isEmpty() || contains(allowed, bytes));
  }

  private static boolean contains(List<Network> networks, byte[] address) {
    for (Network network : networks) {
      if (network.contains(address)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the rules as text: {@code allow 10.20.0.0/16, deny 10.20.7.9}. */
  @Override
  public String toString() {
    List<String> words = new ArrayList<>();
    allowed.forEach(network -> words.add("allow " + network.text()));
    denied.forEach(network -> words.add("deny " + network.text()));
    return words.isEmpty() ? "all" : String.join(", ", words);
  }
}
