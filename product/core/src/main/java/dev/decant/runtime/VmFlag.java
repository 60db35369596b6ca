package dev.decant.runtime;

/**
 * A flag of the HotSpot JVM.
 *
 * @param value as HotSpot prints it
 * @param given whether somebody has set it, on the command line or in the environment; otherwise the JVM chose it
 */
public record VmFlag(String value, boolean given) {}
