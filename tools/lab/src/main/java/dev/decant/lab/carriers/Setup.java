package dev.decant.lab.carriers;

import dev.decant.lab.server.ServerKind;

/**
 * What is measured at once.
 *
 * @param server which
 * @param load which
 * @param connections to the server, all loads together
 * @param setting of its threads
 */
public record Setup(ServerKind server, LoadKind load, int connections, Setting setting) {

  /**
   * For people.
   *
   * @return server, load and setting in a few words
   */
  public String label() {
    return server.label() + ", " + load.label() + ", " + connections + " connections, " + setting.label();
  }
}
