package dev.decant.lab.carriers;

import dev.decant.lab.server.ServerKind;

/**
 * A server, its load and its setting.
 *
 * @param server the server
 * @param load the load
 * @param connections number of connections to the server, all loads together
 * @param setting setting of its threads
 */
public record Setup(ServerKind server, LoadKind load, int connections, Setting setting) {

  /**
   * Returns the label for people.
   *
   * @return server, load and setting in a few words
   */
  public String label() {
    return server.label() + ", " + load.label() + ", " + connections + " connections, " + setting.label();
  }
}
