package dev.decant.fix.quickfix.settings;

import dev.decant.fix.settings.AddressRules;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Lists of addresses and host names, separated by commas. */
final class Addresses {
  private Addresses() {}

  /** Returns the addresses of a list. It may resolve names, which takes long: not on the engine's loop. */
  static Set<InetAddress> resolve(String list) {
    Set<InetAddress> addresses = new HashSet<>();
    for (String entry : list.split(",", -1)) {
      if (entry.isBlank()) {
        continue; // An empty name would stand for the loopback address.
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

  /** Returns rules that let only these addresses connect. */
  static AddressRules rules(Set<InetAddress> allowed) {
    AddressRules rules = AddressRules.all();
    for (InetAddress address : allowed) {
      String text = address.getHostAddress();
      // The scope names an interface of this machine, not of the peer.
      int scope = address instanceof Inet6Address ? text.indexOf('%') : -1;
      rules = rules.allow(scope < 0 ? text : text.substring(0, scope));
    }
    return rules;
  }
}
