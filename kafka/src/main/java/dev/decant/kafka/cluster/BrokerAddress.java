package dev.decant.kafka.cluster;

import java.util.regex.Pattern;

/**
 * Where a broker listens.
 *
 * @param host its host name
 * @param port its port
 */
public record BrokerAddress(String host, int port) {
  private static final int MAX_PORT = 65_535;
  /** A name or an IPv4 address; what it resolves to is seen later. */
  private static final Pattern HOST = Pattern.compile("[\\p{L}\\p{N}._-]+");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]+(%[\\w.-]+)?");

  /**
   * Reads one address of a bootstrap list.
   *
   * @param text {@code host:port} or {@code [ipv6]:port}
   * @return the address
   * @throws IllegalArgumentException that says what the text is instead
   */
  public static BrokerAddress parse(String text) {
    if (text.contains("://")) {
      throw refusal(text, "is a URL; leave out what is up to ://");
    }
    if (text.indexOf(';') >= 0 || text.indexOf(' ') >= 0) {
      throw refusal(text, "has more than one address; separate them by commas");
    }
    int colon = text.lastIndexOf(':');
    boolean bracketed = text.startsWith("[");
    if (colon < 0 || (bracketed && text.endsWith("]"))) {
      throw refusal(text, "has no port");
    }
    String host = text.substring(0, colon);
    if (bracketed && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw refusal(text, "is ambiguous; put an IPv6 address into brackets: [::1]:9092");
    }
    if (!(bracketed ? IPV6 : HOST).matcher(host).matches()) {
      throw refusal(text, host.isEmpty() ? "has no host" : "has a host that is none");
    }
    return new BrokerAddress(host, port(text, text.substring(colon + 1)));
  }

  private static int port(String text, String digits) {
    try {
      int port = Integer.parseInt(digits);
      if (port > 0 && port <= MAX_PORT) {
        return port;
      }
    } catch (NumberFormatException e) {
      // said below
    }
    throw refusal(text, "has the port '" + digits + "', which is no number from 1 to " + MAX_PORT);
  }

  private static IllegalArgumentException refusal(String text, String what) {
    return new IllegalArgumentException(
        "bootstrap: '" + text + "' is not of the form host:port: it " + (text.isEmpty() ? "is empty" : what));
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
