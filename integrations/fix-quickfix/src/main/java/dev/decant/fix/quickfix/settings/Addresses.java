package dev.decant.fix.quickfix.settings;

import dev.decant.fix.settings.AddressRules;
import java.net.Inet6Address;
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
      if (entry.isBlank()) {
        continue; // it would stand for the loopback address
      }
      try {
        addresses.addAll(List.of(InetAddress.getAllByName(entry.strip())));
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("AllowedRemoteAddresses: " + SettingsText.shown(entry)
            + " is no address and no known host; correct or remove it", e);
      }
    }
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("AllowedRemoteAddresses: there is no address in it; add one or remove it");
    }
    return addresses;
  }

  /** Rules that let these addresses connect, and no others. */
  static AddressRules rules(Set<InetAddress> allowed) {
    AddressRules rules = AddressRules.all();
    for (InetAddress address : allowed) {
      String text = address.getHostAddress();
      int scope = address instanceof Inet6Address ? text.indexOf('%') : -1; // of an interface here, not of a peer
      rules = rules.allow(scope < 0 ? text : text.substring(0, scope));
    }
    return rules;
  }
}
