/**
 * What an engine tells, as events of the JDK's Flight Recorder. The only package that needs the module {@code jdk.jfr}:
 * an engine that is not watched by it runs without.
 */
@NullMarked
package dev.decant.fix.jfr;

import org.jspecify.annotations.NullMarked;
