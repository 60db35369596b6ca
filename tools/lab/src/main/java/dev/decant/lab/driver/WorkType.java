package dev.decant.lab.driver;

/** A kind of work together with the way to open it, in the JVM of a measured client. Immutable. */
public abstract class WorkType extends WorkKind {
  private final Opening opening;

  /**
   * Opens a work. Each kind passes a lambda that calls the constructor: a JVM has the classes of one client, and a
   * constructor reference would load those of other clients when it is linked.
   */
  @FunctionalInterface
  protected interface Opening {
    /**
     * Opens the work with the client that this JVM is for.
     *
     * @param spec what to do
     * @return to be closed
     * @throws InterruptedException if the thread was interrupted
     */
    Work open(WorkSpec spec) throws InterruptedException;
  }

  /**
   * Describes a kind of work.
   *
   * @param label name in files
   * @param latencyOf what one value of the latency is, for people
   * @param topic which topic the work needs
   * @param opening opens it
   * @param traits which settings it takes
   */
  protected WorkType(String label, String latencyOf, Topic topic, Opening opening, Trait... traits) {
    super(label, latencyOf, topic, traits);
    this.opening = opening;
  }

  /**
   * Opens the client that this JVM is for, at the work of a specification.
   *
   * @param spec what to do
   * @return to be closed
   * @throws InterruptedException if the thread was interrupted
   */
  public static Work open(WorkSpec spec) throws InterruptedException {
    return ((WorkType) spec.work()).opening.open(spec);
  }
}
