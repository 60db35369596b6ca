/** Programs that run in JVMs of their own. */
package program;
