package dev.decant.engines;

/** The clients below an engine. */
enum Clients {
  APACHE,
  /** Decant's, by the class that the engine asks for clients. */
  SUPPLIER,
  /** Decant's, since the agent changes the engine. */
  AGENT
}
