package dev.decant.kafka.cluster;

import dev.decant.net.Printable;
import java.util.regex.Pattern;

/** The host and port on which a broker listens. */
public record BrokerAddress(String host, int port) {
  /**
   * The longest host name (RFC 1035) or address. No longer name, and none with other characters, can be connected to.
   */
  private static final int MOST_HOST_CHARACTERS = 255;
  private static final int MAX_PORT = 65_535;
  /** A host name or an IPv4 address; the look-up decides which. */
  private static final Pattern HOST = Pattern.compile("[\\p{L}\\p{N}._-]+");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]+(%[\\w.-]+)?");

  /** Separators other than the comma that users put between addresses. */
  private static final Pattern SEPARATOR = Pattern.compile("[;|\\s]");
  /** The part before the host, up to '@': errors must not show it, because it may have a password. */
  private static final Pattern USER = Pattern.compile("[^/]*@");

  /** Makes the host printable: brokers name each other, and the host becomes part of messages and thread names. */
  public BrokerAddress {
    host = Printable.of(host, MOST_HOST_CHARACTERS);
  }

  /**
   * Reads one address of a bootstrap list.
   *
   * @param text {@code host:port} or {@code [ipv6]:port}
   * @param setting the list's name, for the error
   * @throws IllegalArgumentException if it is not an address; says what it is
   */
  public static BrokerAddress parse(String text, String setting) {
    try {
      return parse(text);
    } catch (IllegalArgumentException e) {
      String shown = USER.matcher(text).replaceFirst("***@");
      throw new IllegalArgumentException(
          setting + ": '" + shown + "' is not of the form host:port: it " + e.getMessage(), e);
    }
  }

  private static BrokerAddress parse(String text) {
    if (text.isEmpty()) {
      throw refusal("is empty");
    }
    if (text.contains("://")) {
      throw refusal("is a URL; leave out what is up to ://");
    }
    if (SEPARATOR.matcher(text).find()) {
      throw refusal("has more than one address; separate them by commas");
    }
    if (text.indexOf('@') >= 0) {
      throw refusal("names a user; leave out what is up to @");
    }
    int colon = text.lastIndexOf(':');
    boolean bracketed = text.startsWith("[");
    if (colon < 0 || (bracketed && text.endsWith("]"))) {
      throw refusal("has no port");
    }
    String host = text.substring(0, colon);
    if (bracketed && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw refusal(IPV6.matcher(host).matches()
          ? "is ambiguous; put an IPv6 address into brackets: [::1]:9092"
          : "has more than one port");
    }
    if (!(bracketed ? IPV6 : HOST).matcher(host).matches()) {
      throw refusal(host.isEmpty() ? "has no host" : "has a host that is none");
    }
    return new BrokerAddress(host, port(text.substring(colon + 1)));
  }

  private static int port(String digits) {
    try {
      int port = Integer.parseInt(digits);
      if (port > 0 && port <= MAX_PORT) {
        return port;
      }
    } catch (NumberFormatException e) {
      // reported below
    }
    throw refusal("has the port '" + digits + "', which is no number from 1 to " + MAX_PORT);
  }

  private static IllegalArgumentException refusal(String what) {
    return new IllegalArgumentException(what);
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
