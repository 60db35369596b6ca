/** A network with faults on request: a proxy in front of a broker, on the loopback interface. */
@NullMarked
package dev.decant.testkit.fault;

import org.jspecify.annotations.NullMarked;
