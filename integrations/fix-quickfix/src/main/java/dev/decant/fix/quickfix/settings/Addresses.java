package dev.decant.fix.quickfix.settings;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** A list of addresses and host names, separated by commas. */
final class Addresses {
  private Addresses() {}

  /** The addresses of a list. Resolving names may take long: not a matter of the engine's loop. */
  static Set<InetAddress> resolve(String list) {
    Set<InetAddress> addresses = new HashSet<>();
    for (String entry : list.split(",", -1)) {
      try {
        addresses.addAll(List.of(InetAddress.getAllByName(entry.strip())));
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("AllowedRemoteAddresses: " + SettingsText.shown(entry)
            + " is no address and no known host; correct or remove it", e);
      }
    }
    return addresses;
  }
}
