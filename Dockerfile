# The fake in a container: the API open on 0.0.0.0:8790, Holdover's own routes behind a token.
#
#   cargo xtask dist
#   docker build -t holdover .
#   docker run -p 8790:8790 -e HOLDOVER_TOKEN=secret holdover
#
# Without HOLDOVER_TOKEN the routes under /_holdover/ stay closed (but for `health`).
FROM scratch
COPY target/dist/image/holdover /holdover
USER 65534:65534
EXPOSE 8790
ENTRYPOINT ["/holdover"]
CMD ["serve", "--listen", "0.0.0.0:8790", "--closed"]
